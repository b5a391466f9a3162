import type { Comparison } from '@/api'

/** How many cells and repeats stand outside the comparison. */
export function unmatchedCount(comparison: Pick<Comparison, 'unmatched' | 'cells'>): number {
  return comparison.unmatched.length + comparison.cells.reduce((sum, cell) => sum + cell.failed_runs.length, 0)
}
