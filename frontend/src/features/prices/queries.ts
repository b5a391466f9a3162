import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap, whileIncomplete, type PriceSheet } from '@/api'
import { useSession } from '@/session'

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
  const session = useSession()
  return useQuery({
    queryKey: ['prices', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/prices', { params: { query: { project_id: session.project?.id } } })),
  })
}

/** Puts a sheet in the place of the one that was seen; 412 when somebody else was first. */
export function useSavePrices() {
  const queries = useQueryClient()
  const session = useSession()
  return useMutation({
    mutationFn: ({ sheet, version }: { sheet: PriceSheet; version: number }) =>
      unwrap(
        api.PUT('/api/v1/prices', {
          params: { query: { project_id: session.project?.id }, header: { 'if-match': `"${version}"` } },
          body: sheet,
        }),
      ),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['prices'] }),
        queries.invalidateQueries({ queryKey: ['comparisons', 'costs'] }),
      ]),
  })
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
    queryFn: () => unwrap(api.GET('/api/v1/comparisons/costs', { params: { query: query.value } })),
    enabled: () => toValue(enabled),
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}
