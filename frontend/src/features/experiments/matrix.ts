type Item = Record<string, unknown>

/** Cells of the document that are not measured; a part that is not said means all. */
export interface Exclusion {
  target?: string
  system?: string
  workload?: string
  load?: string
  reason?: string
}

const itemsOf = (value: unknown): Item[] => (Array.isArray(value) ? value.map((item) => (item ?? {}) as Item) : [])
const namesOf = (value: unknown): string[] =>
  itemsOf(value).flatMap(({ name }) => (typeof name === 'string' && name ? [name] : []))

export const exclusionsOf = (document: Item | null): Exclusion[] => itemsOf(document?.['exclusions'])
export const workloadsOf = (document: Item | null): string[] => namesOf(document?.['workloads'])
export const targetsOf = (document: Item | null): { name: string; system: string }[] =>
  itemsOf(document?.['targets']).flatMap(({ name, system }) =>
    typeof name === 'string' && name ? [{ name, system: typeof system === 'string' ? system : '' }] : [],
  )

/** Which exclusion leaves a target out of a whole workload; null: it is measured. */
export function excludedBy(
  exclusions: readonly Exclusion[],
  target: { name: string; system: string },
  workload: string,
): number | null {
  const found = exclusions.findIndex(
    (one) =>
      one.load === undefined &&
      (one.target ?? target.name) === target.name &&
      (one.system ?? target.system) === target.system &&
      (one.workload ?? workload) === workload,
  )
  return found < 0 ? null : found
}

/** Whether an exclusion is of this one place alone, so that unticking the place is undone by removing it. */
export const isOfOne = (one: Exclusion): boolean =>
  one.target !== undefined && one.workload !== undefined && one.load === undefined && one.system === undefined

/** An exclusion in words: `all of memcached under scans at 8 clients`. */
export function wordsOf(one: Exclusion): string {
  const who = one.target ?? (one.system ? `all of ${one.system}` : 'every target')
  return [who, one.workload && `under ${one.workload}`, one.load && `at ${one.load}`].filter(Boolean).join(' ')
}

/** The operating points that a level begins with: one for each target that has none, at eight clients. */
export function pointsFor(document: Item | null, points: unknown): Item[] {
  const there = new Set(itemsOf(points).map(({ target }) => target))
  return targetsOf(document)
    .filter(({ name }) => !there.has(name))
    .map(({ name }) => ({ target: name, load: { model: 'closed', clients: 8 } }))
}
