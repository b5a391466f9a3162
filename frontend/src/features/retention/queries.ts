import { useQuery } from '@tanstack/vue-query'
import { toRef, toValue, type MaybeRefOrGetter } from 'vue'

import { ApiProblem, request, useChange, type RetentionRules } from '@/api'
import { ofProject, useSession } from '@/session'

const EVERY_MS = 1000

/** How long the project keeps what it measured. */
export function useRetention() {
  const session = useSession()
  return useQuery({ ...ofProject('retention', 'GET /api/v1/retention'), enabled: () => Boolean(session.project) })
}

/** What rules would remove now; asked for while they are such as may be saved. */
export function useRetentionPreview(rules: MaybeRefOrGetter<RetentionRules>, sound: MaybeRefOrGetter<boolean>) {
  const session = useSession()
  return useQuery({
    queryKey: ['retention', () => session.project?.id, 'preview', () => toValue(rules)],
    queryFn: () =>
      request('POST /api/v1/retention/preview', { query: { project_id: session.project?.id }, body: toValue(rules) }),
    enabled: () => Boolean(session.project) && toValue(sound),
    placeholderData: (before) => before,
  })
}

/** Puts rules in the place of those that were seen; 412 when somebody else was first. */
export function useSaveRetention() {
  const session = useSession()
  return useChange(
    ['retention'],
    ({ rules, version }: { rules: RetentionRules; version: number }) =>
      request('PUT /api/v1/retention', {
        query: { project_id: session.project?.id },
        header: { 'if-match': `"${version}"` },
        body: rules,
      }),
    'settled',
  )
}

const path = (campaignId: MaybeRefOrGetter<string>) => ({ path: { campaign_id: toValue(campaignId) } })

/** Whether a campaign is kept whatever the rules, and may be deleted. */
export function useKeeping(campaignId: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['keeping', campaignId],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}/keeping', path(campaignId)),
  })
}

/** Keeps a campaign with a reason, or no longer: without one. */
export function useKeep(campaignId: MaybeRefOrGetter<string>) {
  return useChange(
    [['keeping', toRef(campaignId)]],
    async (because: string | null) => {
      const params = path(campaignId)
      if (because === null) await request('DELETE /api/v1/campaigns/{campaign_id}/keeping', params)
      else await request('PUT /api/v1/campaigns/{campaign_id}/keeping', { ...params, body: { because } })
    },
    'settled',
  )
}

/**
 * Has a campaign deleted, and waits until it is gone.
 *
 * @throws when something came to rest on it meanwhile, with the reason.
 */
export function useDeleteCampaign(campaignId: MaybeRefOrGetter<string>) {
  return useChange(
    ['campaigns', 'experiment', 'experiments', 'series', 'comparisons'],
    async (because: string) => {
      const params = path(campaignId)
      let asked = await request('POST /api/v1/campaigns/{campaign_id}/deletion', { ...params, body: { because } })
      while (asked.refused_because === null) {
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
        const now = await request('GET /api/v1/campaigns/{campaign_id}/keeping', params).catch(noneOfGone)
        if (!now?.deletion) return
        asked = now.deletion
      }
      throw new Error(asked.refused_because)
    },
    'settled',
  )
}

function noneOfGone(error: unknown): null {
  if (error instanceof ApiProblem && error.status === 404) return null
  throw error
}
