import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap } from '@/api'

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
    queryFn: () => unwrap(api.GET('/api/v1/series', { params: { query: { limit: 200, ...filter.value } } })),
    placeholderData: keepPreviousData,
  })
}

/** One series with its points, segments and change points. */
export function useSeries(id: Ref<string | null>, enabled: Ref<boolean>) {
  return useQuery({
    queryKey: ['series', id],
    queryFn: () => unwrap(api.GET('/api/v1/series/{series_id}', { params: { path: { series_id: id.value ?? '' } } })),
    enabled,
  })
}
