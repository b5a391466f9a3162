import type { Campaign, CampaignCell } from '@/api'

/** Runs of one target that failed for one reason. */
export interface Failures {
  target: string
  message: string
  hint: string
  count: number
  /** The first of them. */
  run: string
}

/** Why runs failed, by target and reason; what most failed for comes first. */
export function failuresOf(campaign: Pick<Campaign, 'cells'>): Failures[] {
  const found = new Map<string, Failures>()
  for (const { target, runs } of campaign.cells) {
    for (const run of runs) {
      const reason = reasonOf(run)
      if (!reason) continue
      const key = [target, reason.message, reason.hint].join('\n')
      const same = found.get(key)
      if (same) same.count += 1
      else found.set(key, { target, ...reason, count: 1, run: run.id })
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count)
}

function reasonOf({ status, failure }: CampaignCell['runs'][number]) {
  if (status !== 'failed') return null
  return { message: failure?.message ?? 'It is not known why.', hint: failure?.hint ?? '' }
}
