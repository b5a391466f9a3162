import type { EqualChange } from '@/api'

import { productName, type ParameterSchema } from '@/features/systems'

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

/**
 * A change as people read it: `save = empty` or `no limit of cpus`.
 *
 * @param property what is declared of the setting, where it is one of the product's.
 */
export function changeWords(change: EqualChange, property: ParameterSchema = {}): string {
  const name = productName(change.path[change.path.length - 1] ?? '', property)
  if (change.after === null) return change.path[0] === 'limits' ? `no limit of ${name}` : `${name} at its default`
  const value =
    typeof change.after === 'boolean'
      ? change.after
        ? 'yes'
        : 'no'
      : change.after === ''
        ? 'empty'
        : [String(change.after), property['x-unit'] ?? ''].join(' ').trim()
  return `${name} = ${value}`
}
