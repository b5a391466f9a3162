import type { Comparison, ComparisonSide, Estimate, LoadLevel } from '@/api'

/** One side's bar in a headline. */
export interface HeadlineBar {
  side: ComparisonSide
  throughput: Estimate | null
  p99: Estimate | null
  /** Parts of the widest value shown, 0 to 100. */
  width: number
  low: number
  high: number
}

/** One workload at one load level, all sides. */
export interface Headline {
  workload: string
  level: LoadLevel
  bars: HeadlineBar[]
}

/**
 * The figures of a comparison that a front page shows: each workload at the heaviest load level
 * that was measured on every side.
 *
 * @param comparison targets of one campaign side by side.
 * @returns one headline for each workload that has such a level.
 */
export function headlinesOf(comparison: Comparison): Headline[] {
  const heaviestFirst = [...comparison.load_levels].sort((a, b) => b.value - a.value)
  return comparison.workloads.flatMap((workload) => {
    for (const level of heaviestFirst) {
      const cells = comparison.sides.map((side) => ({
        side,
        cell: comparison.cells.find(
          (cell) => cell.side === side.key && cell.workload === workload && cell.load_level.label === level.label,
        ),
      }))
      if (cells.every(({ cell }) => cell?.throughput)) {
        const widest = Math.max(...cells.map(({ cell }) => cell?.throughput?.high ?? cell?.throughput?.median ?? 0))
        const share = (value: number | null | undefined) => (widest > 0 ? ((value ?? 0) / widest) * 100 : 0)
        const bars = cells.map(({ side, cell }) => ({
          side,
          throughput: cell?.throughput ?? null,
          p99: cell?.p99_us ?? null,
          width: share(cell?.throughput?.median),
          low: share(cell?.throughput?.low),
          high: share(cell?.throughput?.high),
        }))
        return [{ workload, level, bars }]
      }
    }
    return []
  })
}
