import type { DisclosureItem } from '@/api'

/** A share as whole percent; only what is complete is 100, and only what is empty is 0. */
export function percent(share: number): number {
  const rounded = Math.round(share * 100)
  if (share < 1 && rounded === 100) return 99
  return share > 0 && rounded === 0 ? 1 : rounded
}

/** What is missing, what people can mend first. */
export function gaps(items: readonly DisclosureItem[]): DisclosureItem[] {
  return items
    .filter((one) => one.fault !== null)
    .sort((a, b) => Number(a.said_by === 'platform') - Number(b.said_by === 'platform'))
}
