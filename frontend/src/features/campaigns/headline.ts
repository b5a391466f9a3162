import type { Comparison, ComparisonSide, Estimate, LoadLevel } from '@/api'

/** One side's bar at one load. */
export interface HeadlineBar {
  throughput: Estimate | null
  p99: Estimate | null
  /** Parts of the widest value of the workload, 0 to 100. */
  width: number
  low: number
  high: number
}

/** One side at the loads on show. */
export interface HeadlineLine {
  side: ComparisonSide
  bars: HeadlineBar[]
}

/** One workload: the foremost sides at the loads on show. */
export interface Headline {
  workload: string
  levels: LoadLevel[]
  /** How many further loads were measured. */
  more: number
  /** How many further sides were measured, which come less near to the most at every load. */
  moreSides: number
  lines: HeadlineLine[]
  /** Sides that have no figure of it. */
  missing: ComparisonSide[]
}

/**
 * The figures of a comparison that a front page shows: each workload from its least load to its most.
 *
 * @param comparison targets of one campaign side by side.
 * @param most loads of a workload; of more those are shown that lie evenly between the ends.
 * @param mostSides of a workload; of more those are shown that come nearest to the most at some load.
 * @returns one headline for each workload that was measured at all.
 */
export function headlinesOf(comparison: Comparison, most = 4, mostSides = 5): Headline[] {
  const cells = new Map(
    comparison.cells.map((cell) => [[cell.side, cell.workload, cell.load_level.label].join('\n'), cell.figures]),
  )
  return comparison.workloads.flatMap((workload) => {
    const figuresOf = (side: ComparisonSide, level: LoadLevel) =>
      cells.get([side.key, workload, level.label].join('\n'))
    const measured = comparison.load_levels.filter((level) =>
      comparison.sides.some((side) => figuresOf(side, level)?.throughput),
    )
    const levels = evenly(measured, most)
    if (!levels.length) return []
    const found = comparison.sides.map((side) => ({ side, at: levels.map((level) => figuresOf(side, level)) }))
    const widest = Math.max(
      ...found.flatMap(({ at }) => at.map((figures) => figures?.throughput?.high ?? figures?.throughput?.median ?? 0)),
    )
    const share = (value: number | undefined) => (widest > 0 ? ((value ?? 0) / widest) * 100 : 0)
    const lines = found.map(({ side, at }) => ({
      side,
      bars: at.map((figures) => ({
        throughput: figures?.throughput ?? null,
        p99: figures?.p99_us ?? null,
        width: share(figures?.throughput?.median),
        low: share(figures?.throughput?.low),
        high: share(figures?.throughput?.high),
      })),
    }))
    const isMeasured = ({ bars }: (typeof lines)[number]) => bars.some(({ throughput }) => throughput)
    const there = lines.filter(isMeasured)
    const shown = foremost(there, mostSides)
    return [
      {
        workload,
        levels,
        more: measured.length - levels.length,
        moreSides: there.length - shown.length,
        lines: shown,
        missing: lines.filter((line) => !isMeasured(line)).map(({ side }) => side),
      },
    ]
  })
}

/** At most so many sides, in their own order: those that come nearest to the most of any side at some load. */
function foremost(lines: readonly HeadlineLine[], most: number): HeadlineLine[] {
  const atLoad = (at: number) => Math.max(...lines.map(({ bars }) => bars[at]?.width ?? 0))
  const best = (line: HeadlineLine) => Math.max(...line.bars.map(({ width }, at) => width / (atLoad(at) || 1)))
  const kept = new Set([...lines].sort((a, b) => best(b) - best(a)).slice(0, most))
  return lines.filter((line) => kept.has(line))
}

/** At most so many of a list, its ends among them. */
function evenly<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all]
  return Array.from({ length: most }, (_, place) => all[Math.round((place * (all.length - 1)) / (most - 1))]!)
}
