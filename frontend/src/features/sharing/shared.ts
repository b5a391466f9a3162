import { useQuery } from '@tanstack/vue-query'
import { computed, ref, toValue, watch, type MaybeRefOrGetter, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'

import { ApiProblem, request, useChange, type AnswerOf } from '@/api'

/** How somebody without an account came here: by a link's token, or to something public by its id. */
export interface Way {
  token: string
  share: string
}

const KEPT = 'weighhouse-link'

/** What the window keeps of a link beside the address; nothing where the browser keeps nothing. */
function kept(token?: string): string {
  try {
    if (token !== undefined) sessionStorage.setItem(KEPT, token)
    return sessionStorage.getItem(KEPT) ?? ''
  } catch {
    return token ?? ''
  }
}

/**
 * The token of a link, which stands behind the `#`. It is taken out of the address, so that neither the history nor a
 * screenshot shows it; the window keeps it, whatever is chosen on the page, until another link is opened in it.
 */
export function useLinkToken(): Ref<string> {
  const route = useRoute()
  const router = useRouter()
  const token = ref(kept())
  watch(
    () => route.hash,
    (hash) => {
      if (!hash) return
      token.value = kept(hash.slice(1))
      void router.replace({ path: route.path, query: route.query })
    },
    { immediate: true },
  )
  watch(token, (now) => kept(now))
  return token
}

const asked = (way: Way) => ({
  query: way.share ? { share: way.share } : {},
  headers: way.token ? { Authorization: `Bearer ${way.token}` } : {},
})
const keyOf = (way: Way) => way.share || way.token

/** What is shared, and of whom. */
export function useShared(way: MaybeRefOrGetter<Way>) {
  return useQuery({
    queryKey: ['shared', computed(() => keyOf(toValue(way)))],
    queryFn: () => request('GET /api/v1/shared', asked(toValue(way))),
    retry: false,
  })
}

/** Whether a link wants its password first. */
export const isLocked = (error: unknown): boolean => error instanceof ApiProblem && error.type.endsWith('/link-locked')

/** Says a link's password. */
export function useUnlock(way: MaybeRefOrGetter<Way>) {
  return useChange([], (password: string) =>
    request('POST /api/v1/shared/password', {
      headers: { Authorization: `Bearer ${toValue(way).token}` },
      body: { password },
    }),
  )
}

/** Where a shared comparison is read, in place of the members' addresses. */
export function sourceOf(way: MaybeRefOrGetter<Way>) {
  const here = () => asked(toValue(way))
  const beside = <Q extends object>(more: Q) => ({ ...here(), query: { ...here().query, ...more } })
  return {
    key: () => keyOf(toValue(way)),
    comparison: (): Promise<AnswerOf<'GET /api/v1/comparisons'>> => request('GET /api/v1/shared/comparison', here()),
    answer: (
      _: unknown,
      view: { figure?: string; hidden?: number[] },
    ): Promise<AnswerOf<'GET /api/v1/comparisons/answer'>> => request('GET /api/v1/shared/answer', beside(view)),
    scaling: (_: unknown, law: boolean): Promise<AnswerOf<'GET /api/v1/comparisons/scaling'>> =>
      request('GET /api/v1/shared/scaling', beside({ law })),
  }
}

/** A report that is shared. */
export function useSharedReport(way: MaybeRefOrGetter<Way>, enabled: MaybeRefOrGetter<boolean>) {
  return useQuery({
    queryKey: ['shared', 'report', computed(() => keyOf(toValue(way)))],
    queryFn: () => request('GET /api/v1/shared/report', asked(toValue(way))),
    enabled,
    shallow: true,
  })
}

/** A series that is shared. */
export function useSharedSeries(way: MaybeRefOrGetter<Way>, enabled: MaybeRefOrGetter<boolean>) {
  return useQuery({
    queryKey: ['shared', 'series', computed(() => keyOf(toValue(way)))],
    queryFn: () => request('GET /api/v1/shared/series', asked(toValue(way))),
    enabled,
    shallow: true,
  })
}
