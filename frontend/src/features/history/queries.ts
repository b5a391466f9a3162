import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap, type Page, type Series, type SeriesSummary } from '@/api'

/** What the list of series is narrowed to. */
export interface SeriesFilter {
  system_id?: string
  workload?: string
  metric?: string
}

/** The series that fit a filter. */
export function useSeriesList(filter: Ref<SeriesFilter>) {
  return useQuery({
    queryKey: ['series', filter],
    queryFn: () => unwrap<Page<SeriesSummary>>(api.GET('/api/v1/series', { params: { query: { limit: 200, ...filter.value } } })),
    placeholderData: keepPreviousData,
  })
}

/** One series with its points, segments and change points. */
export function useSeries(id: Ref<string | null>, enabled: Ref<boolean>) {
  return useQuery({
    queryKey: ['series', id],
    queryFn: () => unwrap<Series>(api.GET('/api/v1/series/{series_id}', { params: { path: { series_id: id.value ?? '' } } })),
    enabled,
  })
}
