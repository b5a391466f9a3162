import type { Comparison, ComparisonSide, Rank, Ranking } from '@/api'
import type { ChartTable } from '@/charts'
import { spanWord } from '@/ui'

import { round } from './figures'

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

/** One cell of the campaign: each side's rank in it, in the order of the sides. */
export interface RankLine {
  key: string
  workload: string
  /** Whether it is the first of its workload, which names it. */
  first: boolean
  load: string
  told_apart: boolean
  ranks: (Rank | null)[]
}

/** Workload and load by side, by one figure: a rank with its interval wherever a side has the figure. */
export function rankMatrix(
  rankings: readonly Ranking[],
  metric: string,
  shown: readonly Pick<ComparisonSide, 'key'>[],
): RankLine[] {
  let before = ''
  return rankings
    .filter((one) => one.metric === metric)
    .map((one) => {
      const first = one.workload !== before
      before = one.workload
      return {
        key: `${one.workload}|${one.load_level.label}`,
        workload: one.workload,
        first,
        load: one.load_level.label,
        told_apart: one.told_apart,
        ranks: shown.map((side) => one.ranks.find((rank) => rank.side === side.key) ?? null),
      }
    })
}

/** The matrix to take along: one row a cell and side. */
export function rankFigures(
  rankings: readonly Ranking[],
  metric: string,
  shown: readonly Pick<ComparisonSide, 'key' | 'label'>[],
): ChartTable {
  return {
    columns: [
      'workload',
      'load',
      'side',
      'rank at best',
      'rank at worst',
      'of sides',
      'median',
      'low',
      'high',
      'from low to high',
      'repeats',
    ],
    rows: rankings
      .filter((one) => one.metric === metric)
      .flatMap((one) =>
        one.ranks.flatMap((rank) => {
          const side = shown.find(({ key }) => key === rank.side)
          if (!side) return []
          return [
            [
              one.workload,
              one.load_level.label,
              side.label,
              rank.best_rank,
              rank.worst_rank,
              one.ranks.length,
              round(rank.median),
              round(rank.low),
              round(rank.high),
              spanWord(rank),
              rank.repeats,
            ],
          ]
        }),
      ),
  }
}
