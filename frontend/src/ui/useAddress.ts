import { computed, onScopeDispose, shallowRef, type WritableComputedRef } from 'vue'
import { useRoute, useRouter, type LocationQueryRaw, type Router } from 'vue-router'

import { readField, writeFields, type AddressFields, type AddressQuery, type AddressValues } from './address'

/** Longest time between a change and its stand in the address; browsers refuse to write it at each frame. */
const WRITE_AFTER_MS = 120

/** Writers of one router take turns: each builds on the address that the one before left. */
const turns = new WeakMap<Router, Promise<void>>()

export type AddressRefs<F extends AddressFields> = {
  -readonly [K in keyof F]: WritableComputedRef<AddressValues<F>[K]>
}

/**
 * State of a page that stands in its address: reload, a shared link and the browser's back button show
 * the same view.
 *
 * A value changes at once, the address soon after; changes that come close together (the drag of a
 * line) are one. The address is replaced, never pushed, so that the back button leaves the page.
 *
 * @param fields names and ways of reading them; several composables of one page may keep their own.
 * @returns a writable ref for each name, and `settled()`, which writes what waits and resolves with
 *     the full address of the view.
 */
export function useAddress<F extends AddressFields>(fields: F): AddressRefs<F> & { settled: () => Promise<string> } {
  const route = useRoute()
  const router = useRouter()
  const path = route.path
  const waiting = shallowRef<Partial<AddressValues<F>>>({})
  let timer: ReturnType<typeof setTimeout> | undefined

  async function replace(): Promise<void> {
    const changes = waiting.value
    // Who has left the page in the meantime stays where they are.
    if (Object.keys(changes).length && route.path === path) {
      const query = writeFields(fields, route.query as AddressQuery, changes)
      await router.replace({ query: query as LocationQueryRaw, hash: route.hash })
    }
    if (waiting.value === changes) waiting.value = {}
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const turn = (turns.get(router) ?? Promise.resolve()).then(replace)
    turns.set(router, turn)
    return turn
  }

  function set<K extends keyof F>(name: K, value: AddressValues<F>[K]): void {
    waiting.value = { ...waiting.value, [name]: value }
    timer ??= setTimeout(() => void write(), WRITE_AFTER_MS)
  }

  const refs = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      computed({
        get: () =>
          name in waiting.value ? waiting.value[name as keyof F] : readField(field, route.query as AddressQuery, name),
        set: (value) => set(name, value),
      }),
    ]),
  ) as AddressRefs<F>

  onScopeDispose(() => clearTimeout(timer))
  return {
    ...refs,
    settled: async () => {
      await write()
      return new URL(router.currentRoute.value.fullPath, location.origin).href
    },
  }
}
