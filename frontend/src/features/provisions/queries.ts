import { useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { request } from '@/api'
import { useSession } from '@/session'

const REFRESH_MS = 5000

/** What machines this installation makes for campaigns, if any. */
export function useProvisioner() {
  return useQuery({
    queryKey: ['provisioner'],
    queryFn: () => request('GET /api/v1/provisioner'),
  })
}

/** What a document asks to be made, and costs at most; asked when it asks for something. */
export function useProvisionEstimate(yaml: MaybeRefOrGetter<string>, wanted: MaybeRefOrGetter<boolean>) {
  const session = useSession()
  return useQuery({
    queryKey: ['provisioner', 'estimate', yaml, () => session.project?.id],
    queryFn: () =>
      request('POST /api/v1/provisioner/estimate', {
        query: { project_id: session.project?.id },
        body: { yaml: toValue(yaml) },
      }),
    enabled: () => toValue(wanted),
    staleTime: Infinity,
  })
}

/** The machines that were made for a campaign; asked again while they are there. */
export function useProvision(campaignId: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaign', campaignId, 'provision'],
    queryFn: () =>
      request('GET /api/v1/campaigns/{campaign_id}/provision', { path: { campaign_id: toValue(campaignId) } }),
    refetchInterval: (state) => (state.state.data?.ended_at ? false : REFRESH_MS),
  })
}
