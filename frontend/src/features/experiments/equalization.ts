import type { EqualChange } from '@/api'

import type { Draft } from './draft'

/**
 * Carries changes out that make sides equal; values that become a default are taken out.
 *
 * @returns how many there were.
 */
export function applyChanges(draft: Draft, changes: readonly EqualChange[]): number {
  for (const change of changes) {
    draft.set(['targets', change.target, ...change.path], change.after ?? undefined)
  }
  return changes.length
}

/** A change as people read it: `save = “”` or `cpus is not set`. */
export function changeWords(change: EqualChange): string {
  const name = change.path[change.path.length - 1] ?? ''
  if (change.after === null) return change.path[0] === 'limits' ? `no limit of ${name}` : `${name} at its default`
  const value =
    typeof change.after === 'boolean'
      ? change.after
        ? 'yes'
        : 'no'
      : change.after === ''
        ? 'empty'
        : String(change.after)
  return `${name} = ${value}`
}
