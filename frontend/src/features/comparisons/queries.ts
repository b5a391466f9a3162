import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap } from '@/api'

import { distinct } from './metrics'

/** What is compared, as it stands in the address. */
export interface ComparisonAddress {
  campaign?: string
  base?: string
  side?: string[]
  baseline?: number
}

/** A comparison; the server computes it from merged histograms. */
export function useComparison(address: Ref<ComparisonAddress>, enabled: Ref<boolean>) {
  return useQuery({
    queryKey: ['comparison', address],
    queryFn: () => unwrap(api.GET('/api/v1/comparisons', { params: { query: { ...address.value } } })),
    enabled,
    select: (comparison) => ({ ...comparison, sides: distinct(comparison.sides) }),
    placeholderData: keepPreviousData,
  })
}

/** The campaigns there are to compare, newest first. */
export function useComparableCampaigns() {
  return useQuery({
    queryKey: ['campaigns', 'comparable'],
    queryFn: () => unwrap(api.GET('/api/v1/campaigns', { params: { query: { limit: 50 } } })),
  })
}
