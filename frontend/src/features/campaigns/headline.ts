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
 * The figures of a comparison that a front page shows: each workload at the load level that was
 * measured on the most sides, the heaviest of those.
 *
 * @param comparison targets of one campaign side by side.
 * @returns one headline for each workload that was measured at all.
 */
export function headlinesOf(comparison: Comparison): Headline[] {
  return comparison.workloads.flatMap((workload) => {
    const candidates = comparison.load_levels
      .map((level) => ({ level, cells: cellsAt(comparison, workload, level) }))
      .map((one) => ({ ...one, measured: one.cells.filter(({ cell }) => cell?.figures.throughput).length }))
      .filter((one) => one.measured > 0)
      .sort((a, b) => b.measured - a.measured || b.level.value - a.level.value)
    return candidates[0] ? [{ workload, level: candidates[0].level, bars: barsOf(candidates[0].cells) }] : []
  })
}

type SideCell = { side: ComparisonSide; cell: Comparison['cells'][number] | undefined }

function cellsAt(comparison: Comparison, workload: string, level: LoadLevel): SideCell[] {
  return comparison.sides.map((side) => ({
    side,
    cell: comparison.cells.find(
      (cell) => cell.side === side.key && cell.workload === workload && cell.load_level.label === level.label,
    ),
  }))
}

function barsOf(cells: SideCell[]): HeadlineBar[] {
  const widest = Math.max(
    ...cells.map(({ cell }) => cell?.figures.throughput?.high ?? cell?.figures.throughput?.median ?? 0),
  )
  const share = (value: number | undefined) => (widest > 0 ? ((value ?? 0) / widest) * 100 : 0)
  return cells.map(({ side, cell }) => ({
    side,
    throughput: cell?.figures.throughput ?? null,
    p99: cell?.figures.p99_us ?? null,
    width: share(cell?.figures.throughput?.median),
    low: share(cell?.figures.throughput?.low),
    high: share(cell?.figures.throughput?.high),
  }))
}
