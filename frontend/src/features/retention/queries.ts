import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap, type RetentionRules } from '@/api'
import { useSession } from '@/session'

/** How long the project keeps what it measured. */
export function useRetention() {
  const session = useSession()
  return useQuery({
    queryKey: ['retention', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/retention', { params: { query: { project_id: session.project?.id } } })),
    enabled: () => Boolean(session.project),
  })
}

/** What rules would remove now; asked for while they are such as may be saved. */
export function useRetentionPreview(rules: MaybeRefOrGetter<RetentionRules>, sound: MaybeRefOrGetter<boolean>) {
  const session = useSession()
  return useQuery({
    queryKey: ['retention', () => session.project?.id, 'preview', () => toValue(rules)],
    queryFn: () =>
      unwrap(
        api.POST('/api/v1/retention/preview', {
          params: { query: { project_id: session.project?.id } },
          body: toValue(rules),
        }),
      ),
    enabled: () => Boolean(session.project) && toValue(sound),
    placeholderData: (before) => before,
  })
}

/** Puts rules in the place of those that were seen; 412 when somebody else was first. */
export function useSaveRetention() {
  const session = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ rules, version }: { rules: RetentionRules; version: number }) =>
      unwrap(
        api.PUT('/api/v1/retention', {
          params: { query: { project_id: session.project?.id }, header: { 'if-match': `"${version}"` } },
          body: rules,
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['retention'] }),
  })
}

const path = (campaignId: MaybeRefOrGetter<string>) => ({ path: { campaign_id: toValue(campaignId) } })

/** Whether a campaign is kept whatever the rules, and may be deleted. */
export function useKeeping(campaignId: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaigns', campaignId, 'keeping'],
    queryFn: () => unwrap(api.GET('/api/v1/campaigns/{campaign_id}/keeping', { params: path(campaignId) })),
  })
}

/** Keeps a campaign with a reason, or no longer: without one. */
export function useKeep(campaignId: MaybeRefOrGetter<string>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (because: string | null) => {
      const params = path(campaignId)
      if (because === null) await unwrap(api.DELETE('/api/v1/campaigns/{campaign_id}/keeping', { params }))
      else await unwrap(api.PUT('/api/v1/campaigns/{campaign_id}/keeping', { params, body: { because } }))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns', toValue(campaignId), 'keeping'] }),
  })
}

/** Has a campaign deleted. */
export function useDeleteCampaign(campaignId: MaybeRefOrGetter<string>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (because: string) =>
      unwrap(api.POST('/api/v1/campaigns/{campaign_id}/deletion', { params: path(campaignId), body: { because } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}
