import { useQueries, useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter, type Ref } from 'vue'

import {
  ApiProblem,
  request,
  sendContent,
  useChange,
  type PublishedPreview,
  type PublishedResults,
  type PublishedSource,
  type PublishedSourceSummary,
} from '@/api'
import { useSession } from '@/session'

import { archived, type NamedFile } from './archive'

export type { PublishedPreview }

const ADDRESS = '/api/v1/published-sources'
/** What a change of published sources makes stale. */
const STALE = ['published-sources', 'comparisons']

/** Published sources of the project, the one kept last first. */
export function usePublishedSources(cursor: MaybeRefOrGetter<string> = '') {
  const session = useSession()
  return useQuery({
    queryKey: ['published-sources', 'list', () => session.project?.id, () => toValue(cursor)],
    queryFn: () =>
      request('GET /api/v1/published-sources', {
        query: { project_id: session.project?.id, cursor: toValue(cursor) || undefined, total: true },
      }),
    select: (page) => ({ ...page, items: page.items as PublishedSourceSummary[] }),
  })
}

/** One of them; its latest version when none is asked for. */
export function usePublishedSource(id: MaybeRefOrGetter<string>, number: MaybeRefOrGetter<number | undefined>) {
  const wanted = computed(() => toValue(number))
  return useQuery({
    queryKey: ['published-sources', 'one', id, wanted],
    queryFn: () =>
      request('GET /api/v1/published-sources/{source_id}', {
        path: { source_id: toValue(id) },
        query: { number: wanted.value },
      }),
    select: (found) => found as PublishedSource,
  })
}

/** The latest versions of several; those that are not there yet, or any more, are left out. */
export function useManyPublished(ids: Ref<readonly string[]>): Readonly<Ref<PublishedSource[]>> {
  return useQueries({
    queries: computed(() =>
      ids.value.map((id) => ({
        queryKey: ['published-sources', 'one', id, undefined],
        queryFn: () => request('GET /api/v1/published-sources/{source_id}', { path: { source_id: id }, query: {} }),
      })),
    ),
    combine: (found) => found.flatMap((query) => (query.data ? [query.data as PublishedSource] : [])),
    shallow: true,
  })
}

/** The whole document of one, to be corrected. */
export async function wholeDocument(id: string): Promise<PublishedResults> {
  const answer = await fetch(`${ADDRESS}/${id}/document`, { credentials: 'same-origin' })
  if (!answer.ok) throw new ApiProblem(answer.status, await answer.json().catch(() => null))
  return (await answer.json()) as PublishedResults
}

/** What is understood of files; nothing is kept. */
export function usePreview() {
  return useChange([], (files: readonly NamedFile[]) => {
    const { name, file } = archived(files)
    return sendContent<PublishedPreview>(`${ADDRESS}/preview?name=${encodeURIComponent(name.slice(-200))}`, file)
  })
}

/** What typed figures stand for, in their order; whatever else a caller knows of them stays here. */
export const readFigures = (typed: readonly { figure: string; printed: string }[]) =>
  request('POST /api/v1/published-sources/figures', {
    body: { figures: typed.map(({ figure, printed }) => ({ figure, printed })) },
  })

/** Keeps results; the same ones are kept once. */
export function useKeep() {
  const session = useSession()
  return useChange(STALE, (results: PublishedResults) =>
    sendContent<PublishedSource>(`${ADDRESS}?project_id=${session.project?.id ?? ''}`, JSON.stringify(results)),
  )
}

/** Puts another version in the place of the latest, which stays. */
export function useCorrect(id: MaybeRefOrGetter<string>) {
  return useChange(STALE, ({ results, because, over }: { results: PublishedResults; because: string; over: number }) =>
    sendContent<PublishedSource>(
      `${ADDRESS}/${toValue(id)}/versions?because=${encodeURIComponent(because)}`,
      JSON.stringify(results),
      { 'If-Match': `"${over}"` },
    ),
  )
}

/** Removes one from every list and comparison. */
export function useRemove() {
  return useChange(STALE, (id: string) =>
    request('DELETE /api/v1/published-sources/{source_id}', { path: { source_id: id } }),
  )
}
