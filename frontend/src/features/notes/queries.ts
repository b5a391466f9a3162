import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap, unwrapAll, type Annotation } from '@/api'

/** Where a note is written. */
export type Subject = Annotation['subject']

/** Whose notes are read: those of a series and its points, or of a run; null: not known yet. */
export type Owner = { series_id: string[] } | { run_id: string[] } | null

/** Notes of something, and how to write them. */
export function useNotes(owner: MaybeRefOrGetter<Owner>) {
  const client = useQueryClient()
  const changed = () => client.invalidateQueries({ queryKey: ['annotations'] })
  const list = useQuery({
    queryKey: ['annotations', () => toValue(owner)],
    queryFn: () =>
      unwrapAll((part) => api.GET('/api/v1/annotations', { params: { query: { ...toValue(owner), ...part } } })),
    enabled: () => toValue(owner) !== null,
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
