import type { Campaign, CampaignCell, CellRun, RunStatus } from '@/api'

import type { LogEvent } from './events'

/** One line of a campaign's log. */
export interface LogLine {
  key: string
  /** Id of the event that told it: the order of lines. */
  event: number
  at: number
  run: string
  status: string
  where: string
  message: string
}

/**
 * A log with what was told before its stream began, newest first; what it had of that is replaced.
 *
 * A run's begin in the queue is no news, nor is another phase of the same state.
 */
export function withLog(lines: readonly LogLine[], campaign: Campaign, log: LogEvent): LogLine[] {
  const told = new Map<string, string>()
  const before = log.logged.flatMap(({ id, at, run }): LogLine[] => {
    const known = told.get(run.run_id)
    told.set(run.run_id, run.status)
    if (known === run.status || (known === undefined && run.status === 'queued')) return []
    return [lineOf(campaign, run, id, Date.parse(at))]
  })
  return [...lines.filter((line) => line.event > log.until), ...before.reverse()]
}

/** A run's change as a line. */
export function lineOf(campaign: Campaign, run: LogEvent['logged'][number]['run'], event: number, at: number): LogLine {
  return {
    key: `${String(event)}-${run.run_id}-${run.status}`,
    event,
    at,
    run: run.run_id,
    status: run.status,
    where: placeOf(campaign, run.run_id),
    message: run.failure?.message ?? '',
  }
}

/** Median of what there is; null of nothing. */
export function median(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value): value is number => value !== null).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

const AGAIN = 2

/** Whether a run is no repeat of its cell, but measures again what seemed worse. */
export const isAgain = (run: Pick<CellRun, 'twin'>): boolean => run.twin === AGAIN

/** A run among those of its cell: `repeat 2`, or `measured again`. */
export const repeatOf = (run: Pick<CellRun, 'twin' | 'repetition'>): string =>
  isAgain(run) ? 'measured again' : `repeat ${run.repetition}`

/** The repeats of a cell, of which its figures are. */
export const repeatsOf = (cell: CampaignCell): CellRun[] => cell.runs.filter((run) => !isAgain(run))

/** The cell of a matrix at a target, workload and load level. */
export function findCell(
  campaign: Pick<Campaign, 'cells'>,
  target: string,
  workload: string,
  level: string,
): CampaignCell | undefined {
  return campaign.cells.find(
    (cell) => cell.target === target && cell.workload === workload && cell.load_level.label === level,
  )
}

/** What a campaign's target is called, by its identifier. */
export function targetName(campaign: Pick<Campaign, 'targets'> | undefined, name: string): string {
  return campaign?.targets.find((one) => one.name === name)?.label || name
}

/** Whether a campaign, as it is known here, has a run. */
export function hasRun(campaign: Campaign, runId: string): boolean {
  return campaign.cells.some((cell) => cell.runs.some((run) => run.id === runId))
}

/** Where a run stands: `Redis, balanced, 8 clients, repeat 2`. */
export function placeOf(campaign: Campaign, runId: string): string {
  for (const cell of campaign.cells) {
    const run = cell.runs.find((one) => one.id === runId)
    if (run) return `${targetName(campaign, cell.target)}, ${cell.workload}, ${cell.load_level.label}, ${repeatOf(run)}`
  }
  return 'a run'
}

/**
 * A campaign with one run's state changed; counts follow.
 *
 * @returns a new campaign, or the same one when the run is not in it or nothing changes.
 */
export function withRunStatus(campaign: Campaign, runId: string, status: RunStatus): Campaign {
  let previous: RunStatus | null = null
  const cells = campaign.cells.map((cell) => ({
    ...cell,
    runs: cell.runs.map((run): CellRun => {
      if (run.id !== runId || run.status === status) return run
      previous = run.status
      return { ...run, status }
    }),
  }))
  if (previous === null) return campaign
  const runs = { ...campaign.runs }
  runs[bucketOf(previous)] -= 1
  runs[bucketOf(status)] += 1
  return { ...campaign, cells, runs }
}

type Bucket = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

function bucketOf(status: RunStatus): Bucket {
  return status === 'allocated' || status === 'settling' ? 'running' : status
}
