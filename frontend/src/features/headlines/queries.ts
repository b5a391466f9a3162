import { useQueries } from '@tanstack/vue-query'
import { computed, shallowRef, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from 'vue'

import { request, type Headline } from '@/api'

import { asked, keyOf, type Campaign } from './asked'

const FRESH_MS = 5 * 60_000

/**
 * What campaigns came to, by their identifiers: the words that comparison, letters and commands have. Of one
 * under way it is asked for again whenever a run has ended; what was said before stays until then.
 */
export function useHeadlines(
  campaigns: MaybeRefOrGetter<readonly Campaign[]>,
): Readonly<ShallowRef<ReadonlyMap<string, Headline>>> {
  const answers = useQueries({
    queries: computed(() =>
      asked(toValue(campaigns)).map((some) => ({
        queryKey: ['headlines', some.map(keyOf)],
        queryFn: () => request('GET /api/v1/headlines', { query: { campaign: some.map(({ id }) => id) } }),
        staleTime: FRESH_MS,
      })),
    ),
    combine: (found) => found.flatMap(({ data }) => data ?? []),
  })
  const known = shallowRef<ReadonlyMap<string, Headline>>(new Map())
  watch(
    answers,
    (found) => (known.value = new Map([...known.value, ...found.map((one) => [one.campaign_id, one] as const)])),
    { immediate: true },
  )
  return known
}
