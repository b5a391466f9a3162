import { keepPreviousData, useQueries, useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { request, requestAll, type Series } from '@/api'

/** What the list of series is narrowed to. */
export interface SeriesFilter {
  system_id?: string
  workload?: string
  metric?: string
  experiment_id?: string
  /** Those that this campaign has a point of. */
  campaign_id?: string
}

/** The series that fit a filter. */
export function useSeriesList(filter: Ref<SeriesFilter>) {
  return useQuery({
    queryKey: ['series', filter],
    queryFn: () => requestAll((part) => request('GET /api/v1/series', { query: { ...part, ...filter.value } })),
    placeholderData: keepPreviousData,
  })
}

const one = (id: string) => ({
  queryKey: ['series', id],
  queryFn: () => request('GET /api/v1/series/{series_id}', { path: { series_id: id } }),
  // Hundreds of points that are replaced as a whole.
  shallow: true,
})

/** One series with its points, segments and change points. */
export function useSeries(id: Ref<string | null>) {
  return useQuery(computed(() => ({ ...one(id.value ?? ''), enabled: id.value !== null })))
}

/** Several series, in the order of their ids; those that are not there yet are left out. */
export function useManySeries(ids: Ref<readonly string[]>): Readonly<Ref<Series[]>> {
  return useQueries({
    queries: computed(() => ids.value.map(one)),
    combine: (found) => found.flatMap((query) => (query.data ? [query.data] : [])),
    shallow: true,
  })
}

/** The runs of a campaign, to find those of a point. */
export function useRunsOf(campaign: Ref<string | null>) {
  return useQuery({
    queryKey: ['runs', campaign],
    queryFn: () =>
      requestAll((part) => request('GET /api/v1/runs', { query: { campaign_id: campaign.value ?? '', ...part } })),
    enabled: computed(() => campaign.value !== null),
  })
}
