import type { System } from '@/api'

/** Systems of one kind, under what they are called together. */
export interface SystemGroup {
  title: string
  systems: System[]
}

/** What is weighed apart from what weighs; in both what ran here first, the latest before the others. */
export function groupsOf(systems: readonly System[]): SystemGroup[] {
  const last = (one: System): string => one.last_run_at ?? ''
  const sorted = [...systems].sort((a, b) => last(b).localeCompare(last(a)))
  return [
    { title: 'Databases', systems: sorted.filter((one) => one.kind === 'system') },
    { title: 'Load tools', systems: sorted.filter((one) => one.kind === 'tool') },
  ].filter((group) => group.systems.length > 0)
}
