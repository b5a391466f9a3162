import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap, type Campaign, type CampaignSummary, type Comparison, type Gate, type Page } from '@/api'
import { useSession } from '@/session'

const REFRESH_WHILE_OPEN_MS = 5000
const open = new Set(['queued', 'running', 'settling'])

/** Whether a campaign may still change. */
export function isOpen(campaign: Pick<CampaignSummary, 'status'> | undefined): boolean {
  return campaign !== undefined && open.has(campaign.status)
}

/** The latest campaigns of the project, or of one experiment; asked again while one is under way. */
export function useCampaigns(
  filters: MaybeRefOrGetter<{ experimentId?: string; status?: string; limit?: number }> = {},
) {
  const session = useSession()
  const query = computed(() => {
    const { experimentId, status, limit } = toValue(filters)
    return { project_id: session.project?.id, experiment_id: experimentId, status, limit }
  })
  return useQuery({
    queryKey: ['campaigns', query],
    queryFn: () => unwrap<Page<CampaignSummary>>(api.GET('/api/v1/campaigns', { params: { query: query.value } })),
    select: (page) => page.items,
    // An empty identifier is one that is not known yet; without one, all campaigns are meant.
    enabled: () => toValue(filters).experimentId !== '',
    refetchInterval: (state) => (state.state.data?.items.some(isOpen) ? REFRESH_WHILE_OPEN_MS : false),
  })
}

/** One campaign with its matrix. */
export function useCampaign(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaign', id],
    queryFn: () =>
      unwrap<Campaign>(
        api.GET('/api/v1/campaigns/{campaign_id}', { params: { path: { campaign_id: toValue(id) } } }),
      ),
    refetchInterval: (state) => (isOpen(state.state.data) ? REFRESH_WHILE_OPEN_MS : false),
  })
}

/** What the gate says of a finished campaign. */
export function useGate(id: MaybeRefOrGetter<string>, enabled: MaybeRefOrGetter<boolean>) {
  return useQuery({
    queryKey: ['campaign', id, 'gate'],
    queryFn: () =>
      unwrap<Gate>(
        api.GET('/api/v1/campaigns/{campaign_id}/gate', { params: { path: { campaign_id: toValue(id) } } }),
      ),
    enabled,
  })
}

/** A campaign's targets side by side. */
export function useCampaignComparison(id: MaybeRefOrGetter<string | undefined>) {
  return useQuery({
    queryKey: ['comparisons', { campaign: id }],
    queryFn: () =>
      unwrap<Comparison>(api.GET('/api/v1/comparisons', { params: { query: { campaign: toValue(id) } } })),
    enabled: () => toValue(id) !== undefined,
    staleTime: 60_000,
  })
}

export type CampaignAction = 'cancel' | 'pause' | 'resume' | 'retry-failed'

/** Cancels, pauses, resumes a campaign, or queues its failed runs again. */
export function useCampaignAction(id: MaybeRefOrGetter<string>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (action: CampaignAction) =>
      unwrap(
        api.POST(`/api/v1/campaigns/{campaign_id}/${action}`, { params: { path: { campaign_id: toValue(id) } } }),
      ),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['campaign'] }),
        queries.invalidateQueries({ queryKey: ['campaigns'] }),
      ]),
  })
}
