import type { Comparison, Rank, Ranking } from '@/api'

/** A side in a cell's ranking, as a row of a table. */
export interface RankRow extends Rank {
  cell: string
  /** Whether it is the first of its cell, which names the cell. */
  leads: boolean
  told_apart: boolean
  repeats_wanted: number | null
}

/** `1`, or `1 to 3` where it cannot be told better. */
export function rankWords(rank: Rank): string {
  return rank.best_rank === rank.worst_rank ? String(rank.best_rank) : `${rank.best_rank} to ${rank.worst_rank}`
}

/** The rankings of one figure, cell by cell; of the sides on show, where only some are. */
export function rankRows(rankings: readonly Ranking[], metric: string, shown?: ReadonlySet<string>): RankRow[] {
  return rankings
    .filter((one) => one.metric === metric)
    .flatMap((one) =>
      one.ranks
        .filter((rank) => !shown || shown.has(rank.side))
        .map((rank, place) => ({
          ...rank,
          cell: `${one.workload}, ${one.load_level.label}`,
          leads: place === 0,
          told_apart: one.told_apart,
          repeats_wanted: one.repeats_wanted,
        })),
    )
}

/** What stands behind a rank: who is beyond doubt better, or that nobody is. */
export function standing(row: RankRow, comparison: Comparison): string {
  if (row.repeats_wanted !== null) return `telling sides apart takes ${row.repeats_wanted} repeats of each`
  if (!row.told_apart) return 'no side can be told from another'
  if (row.among_best) return 'nobody is beyond doubt better'
  const names = row.behind.map((key) => comparison.sides.find((side) => side.key === key)?.label ?? key)
  return `behind ${names.join(', ')}`
}
