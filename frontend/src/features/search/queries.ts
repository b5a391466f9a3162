import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { ApiProblem, request } from '@/api'

import type { Kind } from './kinds'

/** Who asks wrongly is told so at once, and by the next word asks anew. */
const again = (count: number, error: unknown) => count < 1 && !(error instanceof ApiProblem && error.status === 422)

/**
 * What has all words of a text, in all projects of the reader; asked while there is a text. A question that is
 * overtaken by the next is ended.
 *
 * @param limit of each kind.
 * @param kind one alone.
 */
export function useSearch(said: MaybeRefOrGetter<string>, limit: number, kind?: Kind) {
  return useQuery({
    queryKey: ['search', said, limit, kind],
    queryFn: ({ signal }) => request('GET /api/v1/search', { query: { q: toValue(said), limit, kind }, signal }),
    enabled: () => toValue(said) !== '',
    placeholderData: keepPreviousData,
    retry: again,
    staleTime: 30_000,
  })
}

const PART = 20

/** All of one kind, part after part. */
export function useKind(said: MaybeRefOrGetter<string>, kind: MaybeRefOrGetter<Kind | ''>) {
  const asked = computed(() => toValue(kind) || undefined)
  return useInfiniteQuery({
    queryKey: ['search', 'kind', said, kind],
    queryFn: ({ signal, pageParam }) =>
      request('GET /api/v1/search', {
        query: { q: toValue(said), kind: asked.value, limit: PART, cursor: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (part) => part.groups[0]?.more_cursor ?? null,
    enabled: () => toValue(said) !== '' && asked.value !== undefined,
    retry: again,
    staleTime: 30_000,
  })
}
