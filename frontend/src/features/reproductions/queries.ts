import { useQuery } from '@tanstack/vue-query'
import { toRef, toValue, type MaybeRefOrGetter } from 'vue'

import { request, sendContent, useChange, type Reproduction } from '@/api'

const key = (campaignId: MaybeRefOrGetter<string>) => ['campaigns', toRef(campaignId), 'reproductions']

/** Who measured a campaign again. */
export function useReproductions(campaignId: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: key(campaignId),
    queryFn: () =>
      request('GET /api/v1/campaigns/{campaign_id}/reproductions', { path: { campaign_id: toValue(campaignId) } }),
  })
}

/** Brings a bundle that measured it again; it is checked before it counts. */
export function useBring(campaignId: MaybeRefOrGetter<string>) {
  return useChange([key(campaignId)], (file: Blob) =>
    sendContent<Reproduction>(`/api/v1/campaigns/${toValue(campaignId)}/reproductions`, file),
  )
}

/** Removes one, by the digest of its manifest. */
export function useRemove(campaignId: MaybeRefOrGetter<string>) {
  return useChange([key(campaignId)], (manifest: string) =>
    request('DELETE /api/v1/campaigns/{campaign_id}/reproductions/{manifest_sha256}', {
      path: { campaign_id: toValue(campaignId), manifest_sha256: manifest },
    }),
  )
}
