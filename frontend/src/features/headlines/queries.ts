import { keepPreviousData, useQueries } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap } from '@/api'

import { asked, keyOf, type Campaign } from './asked'

const FRESH_MS = 5 * 60_000

/**
 * What campaigns came to, by their identifiers: the words that comparison, letters and commands have. Of one
 * under way it is asked for again whenever a run has ended.
 */
export function useHeadlines(campaigns: MaybeRefOrGetter<readonly Campaign[]>) {
  return useQueries({
    queries: computed(() =>
      asked(toValue(campaigns)).map((some) => ({
        queryKey: ['headlines', some.map(keyOf)],
        queryFn: () =>
          unwrap(api.GET('/api/v1/headlines', { params: { query: { campaign: some.map(({ id }) => id) } } })),
        staleTime: FRESH_MS,
        placeholderData: keepPreviousData,
      })),
    ),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => data ?? []).map((headline) => [headline.campaign_id, headline])),
  })
}
