import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { api, unwrap, type Annotation, type Series } from '@/api'

/** What the list of series is narrowed to. */
export interface SeriesFilter {
  system_id?: string
  workload?: string
  metric?: string
  experiment_id?: string
}

/** The series that fit a filter. */
export function useSeriesList(filter: Ref<SeriesFilter>) {
  return useQuery({
    queryKey: ['series', filter],
    queryFn: () => unwrap(api.GET('/api/v1/series', { params: { query: { limit: 200, ...filter.value } } })),
    placeholderData: keepPreviousData,
  })
}

const one = (id: string) => ({
  queryKey: ['series', id],
  queryFn: () => unwrap(api.GET('/api/v1/series/{series_id}', { params: { path: { series_id: id } } })),
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
      unwrap(api.GET('/api/v1/runs', { params: { query: { campaign_id: campaign.value ?? '', limit: 200 } } })),
    enabled: computed(() => campaign.value !== null),
  })
}

/** Where a note is written. */
export type Subject = Annotation['subject']

/** Notes of a series and its points, and how to write them. */
export function useNotes(series: Ref<string | null>) {
  const client = useQueryClient()
  const changed = () => client.invalidateQueries({ queryKey: ['annotations'] })
  const list = useQuery({
    queryKey: ['annotations', series],
    queryFn: () =>
      unwrap(api.GET('/api/v1/annotations', { params: { query: { series_id: [series.value ?? ''], limit: 200 } } })),
    enabled: computed(() => series.value !== null),
  })
  const write = useMutation({
    mutationFn: (note: { subject: Subject; text: string; at?: string | null }) =>
      unwrap(api.POST('/api/v1/annotations', { body: note })),
    onSuccess: changed,
  })
  const edit = useMutation({
    mutationFn: (note: { id: string; text: string; version: number }) =>
      unwrap(
        api.PATCH('/api/v1/annotations/{annotation_id}', {
          params: { path: { annotation_id: note.id }, header: { 'if-match': `"${note.version}"` } },
          body: { text: note.text },
        }),
      ),
    onSuccess: changed,
  })
  const remove = useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/v1/annotations/{annotation_id}', { params: { path: { annotation_id: id } } })),
    onSuccess: changed,
  })
  return { list, write, edit, remove }
}
