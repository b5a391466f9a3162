import type { Campaign, CampaignCell } from '@/api'

import { findCell } from './progress'

/** What one target did of one workload, at each load level; undefined: not measured there. */
export interface MatrixRow {
  target: Campaign['targets'][number]
  cells: (CampaignCell | undefined)[]
  /** Runs that failed. */
  failed: number
}

/** A workload with its targets. */
export interface MatrixGroup {
  workload: string
  rows: MatrixRow[]
}

/** The rows of a campaign by workload: what has failed runs first, the rest in the order of the experiment. */
export function matrixOf(campaign: Pick<Campaign, 'cells' | 'targets' | 'workloads' | 'load_levels'>): MatrixGroup[] {
  const groups = campaign.workloads.map((workload) => ({
    workload,
    rows: failuresFirst(
      campaign.targets.map((target) => {
        const cells = campaign.load_levels.map((level) => findCell(campaign, target.name, workload, level.label))
        return { target, cells, failed: failedIn(cells) }
      }),
      (row) => row.failed,
    ),
  }))
  return failuresFirst(groups, (group) => group.rows[0]?.failed ?? 0)
}

/** Those of which something failed before those of which nothing did; else they stay as they stand. */
function failuresFirst<Part>(parts: Part[], failed: (part: Part) => number): Part[] {
  return [...parts.filter((part) => failed(part) > 0), ...parts.filter((part) => failed(part) === 0)]
}

const failedIn = (cells: readonly (CampaignCell | undefined)[]): number =>
  cells.flatMap((cell) => cell?.runs ?? []).filter((run) => run.status === 'failed').length
