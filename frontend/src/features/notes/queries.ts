import { useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { request, requestAll, useChange, type Annotation } from '@/api'

/** Where a note is written. */
export type Subject = Annotation['subject']

/** Whose notes are read: those of a series and its points, or of a run; null: not known yet. */
export type Owner = { series_id: string[] } | { run_id: string[] } | null

/** Notes of something, and how to write them. */
export function useNotes(owner: MaybeRefOrGetter<Owner>) {
  const stale = ['annotations']
  const list = useQuery({
    queryKey: ['annotations', () => toValue(owner)],
    queryFn: () => requestAll((part) => request('GET /api/v1/annotations', { query: { ...toValue(owner), ...part } })),
    enabled: () => toValue(owner) !== null,
  })
  const write = useChange(stale, (note: { subject: Subject; text: string; at?: string | null }) =>
    request('POST /api/v1/annotations', { body: note }),
  )
  const edit = useChange(stale, (note: { id: string; text: string; version: number }) =>
    request('PATCH /api/v1/annotations/{annotation_id}', {
      path: { annotation_id: note.id },
      header: { 'if-match': `"${note.version}"` },
      body: { text: note.text },
    }),
  )
  const remove = useChange(stale, (id: string) =>
    request('DELETE /api/v1/annotations/{annotation_id}', { path: { annotation_id: id } }),
  )
  return { list, write, edit, remove }
}
