import { productName, type ParameterSchema } from '@/features/systems'
import { hasWords } from '@/ui'

/** A setting as it is offered: its name in documents, the product's own, and what is declared of it. */
export interface Setting {
  name: string
  called: string
  property: ParameterSchema
}

/** Settings that bear on one thing. */
export interface SettingGroup {
  title: string
  settings: Setting[]
}

/** Groups in the order in which people look for them; what a plugin calls otherwise comes after. */
const ORDER = [
  'durability',
  'memory',
  'storage',
  'records',
  'threads',
  'replication',
  'consistency',
  'network',
  'timeouts',
  'observation',
]
const OTHERS = 'others'

const titled = (group: string) => group.charAt(0).toUpperCase() + group.slice(1)

/** Settings by what they bear on; in a group in the order of the manifest. */
export function groupsOf(entries: readonly (readonly [string, ParameterSchema])[]): SettingGroup[] {
  const groups = new Map<string, Setting[]>()
  for (const [name, property] of entries) {
    const group = property['x-group'] ?? property['x-aspect'] ?? OTHERS
    const setting = { name, called: productName(name, property), property }
    groups.set(group, [...(groups.get(group) ?? []), setting])
  }
  const place = (group: string) => {
    if (group === OTHERS) return ORDER.length + 1
    const found = ORDER.indexOf(group)
    return found < 0 ? ORDER.length : found
  }
  return [...groups]
    .sort(([one], [other]) => place(one) - place(other))
    .map(([group, settings]) => ({ title: titled(group), settings }))
}

/** Whether a setting has all the words that are looked for, in its names, its title or its description. */
export function isFound({ name, called, property }: Setting, search: string): boolean {
  return hasWords([name, called, property.title, property.description], search)
}

/** The groups with what is looked for alone; a group without any is left out. */
export function shownOf(groups: readonly SettingGroup[], wanted: (setting: Setting) => boolean): SettingGroup[] {
  return groups
    .map(({ title, settings }) => ({ title, settings: settings.filter(wanted) }))
    .filter(({ settings }) => settings.length > 0)
}

/** How a setting is edited. */
export function kindOf(property: ParameterSchema): 'text' | 'number' | 'choice' | 'boolean' {
  if (property.enum) return 'choice'
  const types = Array.isArray(property.type) ? property.type : [property.type]
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('string')) return 'text'
  return types.includes('integer') || types.includes('number') ? 'number' : 'text'
}

/** A value in words of a form. */
export function valueWords(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (value === '') return 'empty'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What a target sets, in one line: `appendfsync always, maxmemory 1048576`. */
export function setWords(
  entries: readonly (readonly [string, ParameterSchema])[],
  given: Record<string, unknown>,
): string {
  const called = new Map(entries.map(([name, property]) => [name, productName(name, property)]))
  return Object.entries(given)
    .map(([name, value]) => `${called.get(name) ?? name} ${valueWords(value)}`)
    .join(', ')
}
