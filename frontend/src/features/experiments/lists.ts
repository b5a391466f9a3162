import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'

import type { Draft } from './draft'

type Item = Record<string, unknown>

/** A name that no other item has: `redis`, `redis-2`, `redis-3`. */
export function freshName(base: string, taken: readonly unknown[]): string {
  if (!taken.includes(base)) return base
  const stem = base.replace(/-\d+$/, '')
  let number = 2
  while (taken.includes(`${stem}-${number}`)) number += 1
  return `${stem}-${number}`
}

/**
 * Addresses that stand in one field, with spaces or commas between. A comma inside one address
 * (`mongodb://a,b/`) parts nothing: what follows it is no address by itself.
 */
export function addressesIn(text: string): string[] {
  return text
    .split(/\s+|,(?=\s|$|[a-z][a-z0-9+.-]*:\/\/)/)
    .map((one) => one.replace(/^,+|,+$/g, ''))
    .filter(Boolean)
}

/** A scalar of the document in words; the fallback for what is missing or not a scalar. */
export function wordOf(value: unknown, fallback: string): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : fallback
}

/** An entry of a list that stays what it is while others come and go before it. */
export interface Entry {
  /** Its own as long as the page is open. */
  id: number
  item: Item
}

let lastId = 0

/**
 * A list of the document with the edits that a form makes to it.
 *
 * What is new is told, so that the view can lead to it: an entry added, or a copy, which stands right
 * behind what it was made of.
 */
export function useList(
  draft: Draft,
  key: string,
): {
  items: ComputedRef<Item[]>
  entries: ComputedRef<Entry[]>
  /** The entry that was made last; 0: none since the page was opened. */
  newest: Ref<number>
  add: (item: Item) => void
  /** Puts one before what stands at the place. */
  insert: (at: number, item: Item) => void
  remove: (index: number) => void
  duplicate: (index: number) => void
} {
  const items = computed(() => {
    const value = draft.get([key])
    return Array.isArray(value) ? value.map((item) => (item ?? {}) as Item) : []
  })
  const ids = ref<number[]>([])
  const newest = ref(0)
  /** What was written as text has no history: entries are counted on or off at the end. */
  watch(
    () => items.value.length,
    (length) => {
      while (ids.value.length < length) ids.value.push((lastId += 1))
      ids.value.length = length
    },
    { immediate: true, flush: 'sync' },
  )
  const entries = computed(() => items.value.map((item, at) => ({ id: ids.value[at] ?? -at, item })))
  const names = () => items.value.map((item) => item['name'])

  function named(item: Item): Item {
    return typeof item['name'] === 'string' ? { ...item, name: freshName(item['name'], names()) } : item
  }
  function insert(at: number, item: Item): void {
    newest.value = lastId += 1
    ids.value.splice(at, 0, newest.value)
    draft.insert([key], at, named(item))
  }
  return {
    items,
    entries,
    newest,
    insert,
    add: (item) => insert(items.value.length, item),
    remove: (index) => {
      ids.value.splice(index, 1)
      draft.remove([key, index])
    },
    duplicate: (index) => {
      const item = items.value[index]
      if (item) insert(index + 1, item)
    },
  }
}
