import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, whileIncomplete, type PriceSheet } from '@/api'
import { ofProject, useSession } from '@/session'

/** Sides, as a comparison is asked for them. */
export interface CostQuestion {
  campaign?: string
  base?: string
  side?: string[]
  baseline?: number
  cell?: string
}

/** Which price, and for which rate; undefined: each machine's own, and none. */
export interface CostChoice {
  price?: string
  rate?: number
}

/** The organization's prices, and the shipped table beside them. */
export function usePrices() {
  return useQuery(ofProject('prices', 'GET /api/v1/prices'))
}

/** Puts a sheet in the place of the one that was seen; 412 when somebody else was first. */
export function useSavePrices() {
  const session = useSession()
  return useChange(
    ['prices', ['comparisons', 'costs']],
    ({ sheet, version }: { sheet: PriceSheet; version: number }) =>
      request('PUT /api/v1/prices', {
        query: { project_id: session.project?.id },
        header: { 'if-match': `"${version}"` },
        body: sheet,
      }),
    'settled',
  )
}

/** What the cells of sides cost; what was there before stays while this loads. */
export function useCosts(
  question: MaybeRefOrGetter<CostQuestion>,
  choice: MaybeRefOrGetter<CostChoice>,
  enabled: MaybeRefOrGetter<boolean>,
) {
  const query = computed(() => ({ ...toValue(question), ...toValue(choice) }))
  return useQuery({
    queryKey: ['comparisons', 'costs', query],
    queryFn: () => request('GET /api/v1/comparisons/costs', { query: query.value }),
    enabled: () => toValue(enabled),
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}
