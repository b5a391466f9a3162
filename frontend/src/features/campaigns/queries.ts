import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, whileIncomplete, type Campaign, type CampaignQuery, type CampaignSummary } from '@/api'
import { useSession } from '@/session'

const REFRESH_WHILE_OPEN_MS = 5000

/** Whether a campaign may still change. */
export function isOpen(campaign: Pick<CampaignSummary, 'completeness'> | undefined): boolean {
  return campaign?.completeness.complete === false
}

/** Part of the project's campaigns, newest first, with their total; asked again while one is under way. */
export function useCampaigns(wanted: MaybeRefOrGetter<CampaignQuery>, enabled: MaybeRefOrGetter<boolean> = true) {
  const session = useSession()
  const query = computed(() => ({ project_id: session.project?.id, total: true, ...toValue(wanted) }))
  return useQuery({
    queryKey: ['campaigns', query],
    queryFn: () => {
      const { cursor, ...filters } = query.value
      return request('GET /api/v1/campaigns', { query: { ...filters, cursor } })
    },
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: (state) => (state.state.data?.items.some(isOpen) ? REFRESH_WHILE_OPEN_MS : false),
  })
}

/** The project's latest campaigns, as many as are wanted; all of them stand on the campaigns' page. */
export function useLatestCampaigns(limit: number) {
  const found = useCampaigns({ limit, total: false })
  return { ...found, data: computed(() => found.data.value?.items) }
}

/** One campaign with its matrix. */
export function useCampaign(id: MaybeRefOrGetter<string>, enabled: MaybeRefOrGetter<boolean> = true) {
  return useQuery({
    enabled,
    queryKey: ['campaign', id],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}', { path: { campaign_id: toValue(id) } }),
    refetchInterval: (state) => (isOpen(state.state.data) ? REFRESH_WHILE_OPEN_MS : false),
  })
}

/** What the gate says of a finished campaign. */
export function useGate(id: MaybeRefOrGetter<string>, enabled: MaybeRefOrGetter<boolean>) {
  return useQuery({
    queryKey: ['campaign', id, 'gate'],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}/gate', { path: { campaign_id: toValue(id) } }),
    enabled,
  })
}

/** How often the verdicts and alerts of the chosen project were wrong, as far as it is known. */
export function useGateRecord() {
  const session = useSession()
  return useQuery({
    queryKey: ['gate-record', () => session.project?.id],
    queryFn: () => request('GET /api/v1/gate-record', { query: { project_id: session.project?.id ?? '' } }),
    enabled: () => session.project !== null,
  })
}

/** A campaign's targets side by side. */
export function useCampaignComparison(id: MaybeRefOrGetter<string | undefined>) {
  return useQuery({
    queryKey: ['comparisons', { campaign: id }],
    queryFn: () => request('GET /api/v1/comparisons', { query: { campaign: toValue(id) } }),
    enabled: () => toValue(id) !== undefined,
    refetchInterval: whileIncomplete,
    staleTime: 60_000,
  })
}

/** The searches of a campaign whose loads are chosen while it is measured. */
export function useSearches(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaign', id, 'searches'],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}/searches', { path: { campaign_id: toValue(id) } }),
    refetchInterval: whileIncomplete,
  })
}

/** All that must stand beside a campaign's numbers: the list that its comparison has too. */
export function useCampaignCaveats(campaign: MaybeRefOrGetter<Campaign>) {
  return useQuery({
    queryKey: ['campaigns', () => toValue(campaign).id, 'caveats', () => toValue(campaign).status],
    queryFn: () =>
      request('GET /api/v1/campaigns/{campaign_id}/caveats', { path: { campaign_id: toValue(campaign).id } }),
    staleTime: 60_000,
  })
}

/** Says that a campaign's verdict was expected, so that it may be a base. */
export function useAcceptance(id: MaybeRefOrGetter<string>) {
  return useChange(['campaign'], (note: string) =>
    request('PUT /api/v1/campaigns/{campaign_id}/acceptance', { path: { campaign_id: toValue(id) }, body: { note } }),
  )
}

export type CampaignAction = 'cancel' | 'pause' | 'resume' | 'retry-failed'

type Asked = { base: string } | { noise: true }

/** Measures a revision anew, with its base beside it or against itself; the key makes a repeated
 * request harmless. */
export function useMeasureForGate() {
  return useChange(
    ['campaigns'],
    ({ key, ...body }: { experiment_id: string; revision: number; key: string } & Asked) =>
      request('POST /api/v1/campaigns', { header: { 'idempotency-key': key }, body }),
  )
}

/** Adds repeats to a campaign that has ended. */
export function useMoreRepeats(id: MaybeRefOrGetter<string>) {
  return useChange(['campaign', 'campaigns', 'comparisons'], (wanted: { count: number; only_undecided: boolean }) =>
    request('POST /api/v1/campaigns/{campaign_id}/repeats', { path: { campaign_id: toValue(id) }, body: wanted }),
  )
}

/** Cancels, pauses, resumes a campaign, or queues its failed runs again. */
export function useCampaignAction(id: MaybeRefOrGetter<string>) {
  return useChange(['campaign', 'campaigns', 'comparisons'], (action: CampaignAction) =>
    request(`POST /api/v1/campaigns/{campaign_id}/${action}`, { path: { campaign_id: toValue(id) } }),
  )
}
