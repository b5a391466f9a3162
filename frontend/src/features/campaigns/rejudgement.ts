import { toValue, type MaybeRefOrGetter } from 'vue'

import { request, requestAll, useChange, type RejudgedCampaign } from '@/api'
import { verdictWording } from '@/ui'

const EVERY_MS = 1000

/**
 * What became of a campaign that was judged again, in words.
 *
 * @throws when it could not be judged, with the reason.
 */
export function outcomeInWords(one: RejudgedCampaign | undefined): string {
  if (one?.verdict_now && one.outcome === 'unchanged') return 'it says the same'
  if (one?.verdict_now) return verdictWording(one.verdict_now).label.toLowerCase()
  throw new Error(one?.reason ?? 'the campaign is gone')
}

/** Has a campaign judged again by today's rules, and waits until it was. */
export function useRejudging(id: MaybeRefOrGetter<string>) {
  return useChange(['campaign', 'campaigns', 'experiment', 'experiments', 'comparisons', 'run'], async () => {
    const body = { campaigns: [toValue(id)], all_campaigns: false, dry_run: false }
    let now = await request('POST /api/v1/rejudgements', { body })
    const params = { path: { rejudgement_id: now.id } }
    while (now.finished_at === null) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      now = await request('GET /api/v1/rejudgements/{rejudgement_id}', params)
    }
    const judged = await requestAll((part) =>
      request('GET /api/v1/rejudgements/{rejudgement_id}/campaigns', { ...params, query: part }),
    )
    return outcomeInWords(judged.items[0])
  })
}
