import { useQuery } from '@tanstack/vue-query'
import { toRef, toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, type RetentionRules } from '@/api'
import { ofProject, useSession } from '@/session'

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
    queryKey: ['campaigns', campaignId, 'keeping'],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}/keeping', path(campaignId)),
  })
}

/** Keeps a campaign with a reason, or no longer: without one. */
export function useKeep(campaignId: MaybeRefOrGetter<string>) {
  return useChange(
    [['campaigns', toRef(campaignId), 'keeping']],
    async (because: string | null) => {
      const params = path(campaignId)
      if (because === null) await request('DELETE /api/v1/campaigns/{campaign_id}/keeping', params)
      else await request('PUT /api/v1/campaigns/{campaign_id}/keeping', { ...params, body: { because } })
    },
    'settled',
  )
}

/** Has a campaign deleted. */
export function useDeleteCampaign(campaignId: MaybeRefOrGetter<string>) {
  return useChange(
    ['campaigns'],
    (because: string) =>
      request('POST /api/v1/campaigns/{campaign_id}/deletion', { ...path(campaignId), body: { because } }),
    'settled',
  )
}
