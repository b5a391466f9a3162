import type { QueryCacheNotifyEvent, QueryClient } from '@tanstack/vue-query'
import { useIntervalFn, useOnline } from '@vueuse/core'
import { computed, onScopeDispose, ref, watch, type ComputedRef, type Ref } from 'vue'

import { ApiProblem } from '@/api'

/** How things stand between this page and the platform. */
export type Connection = 'well' | 'offline' | 'unanswered'

const ASK_AGAIN_MS = 5000

/** Whether an error says that the platform could not be reached, or could not answer at all. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 0 || [502, 503, 504].includes(error.status))
}

/**
 * What an event of the query cache says of the platform.
 *
 * @returns `heard` after an answer, `missed` after an attempt without one (also one of several that
 *   are still repeated), null for everything else.
 */
export function heardFrom(event: QueryCacheNotifyEvent): 'heard' | 'missed' | null {
  if (event.type !== 'updated') return null
  const { action } = event
  if (action.type === 'success' && !action.manual) return 'heard'
  if (action.type === 'failed' || action.type === 'error') return isAway(action.error) ? 'missed' : 'heard'
  return null
}

/**
 * Watches whether the platform answers. While it does not, it is asked for its health every few
 * seconds, and once it is back, everything on the page is asked for anew.
 */
export function useConnection(queries: QueryClient): {
  state: ComputedRef<Connection>
  heardAt: Ref<Date | null>
} {
  const online = useOnline()
  const unanswered = ref(false)
  const heardAt = ref<Date | null>(null)
  const state = computed<Connection>(() => (online.value ? (unanswered.value ? 'unanswered' : 'well') : 'offline'))

  onScopeDispose(
    queries.getQueryCache().subscribe((event) => {
      const said = heardFrom(event)
      if (said === 'heard') heardAt.value = new Date()
      if (said) unanswered.value = said === 'missed'
    }),
  )

  async function askAgain(): Promise<void> {
    const answer = await fetch('/health', { cache: 'no-store' }).catch(() => null)
    if (!answer?.ok) return
    unanswered.value = false
    heardAt.value = new Date()
    await queries.refetchQueries({ type: 'active' })
  }
  const { pause, resume } = useIntervalFn(() => void askAgain(), ASK_AGAIN_MS, { immediate: false })
  watch(state, (now) => (now === 'unanswered' ? resume() : pause()))
  // Another answer may have come before the next look: what got none while nobody answered is asked for anew.
  watch(state, (now) => {
    if (now === 'well')
      void queries.refetchQueries({ type: 'active', predicate: ({ state: query }) => isAway(query.error) })
  })
  return { state, heardAt }
}
