import { computed, type ComputedRef } from 'vue'

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

/** A list of the document with the edits that a form makes to it. */
export function useList(
  draft: Draft,
  key: string,
): {
  items: ComputedRef<Item[]>
  add: (item: Item) => void
  remove: (index: number) => void
  duplicate: (index: number) => void
} {
  const items = computed(() => {
    const value = draft.get([key])
    return Array.isArray(value) ? value.map((item) => (item ?? {}) as Item) : []
  })
  const names = () => items.value.map((item) => item['name'])

  function named(item: Item): Item {
    return typeof item['name'] === 'string' ? { ...item, name: freshName(item['name'], names()) } : item
  }
  return {
    items,
    add: (item) => draft.append([key], named(item)),
    remove: (index) => draft.remove([key, index]),
    duplicate: (index) => {
      const item = items.value[index]
      if (item) draft.append([key], named(item))
    },
  }
}
