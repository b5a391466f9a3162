import { freshName, wordOf } from './lists'
import { kindOf, valueWords, type Setting } from './settings'

type Item = Record<string, unknown>
export type Value = string | number | boolean

/** Where a setting of a target stands in the document. */
export type Part = 'parameters' | 'driver_options'

/** The values that a setting may be given without writing any; none where they are to be written. */
export function offeredValues({ property }: Setting): Value[] {
  if (property.enum) return property.enum.filter((value) => value !== '')
  return kindOf(property) === 'boolean' ? [true, false] : []
}

/** What was written, read as values of a setting: each once, and the words that are none. */
export function writtenValues(text: string, { property }: Setting): { values: Value[]; unclear: string[] } {
  const number = kindOf(property) === 'number'
  const values: Value[] = []
  const unclear: string[] = []
  for (const word of text.split(number ? /[\s,;]+/ : /,/).map((one) => one.trim())) {
    if (word === '') continue
    const value = number ? Number(word.replaceAll('_', '')) : word
    if (number && !isInRange(value as number, property)) unclear.push(word)
    else if (!values.includes(value)) values.push(value)
  }
  return { values, unclear }
}

function isInRange(value: number, property: Setting['property']): boolean {
  if (!Number.isFinite(value) || (property.type === 'integer' && !Number.isInteger(value))) return false
  return value >= (property.minimum ?? -Infinity) && value <= (property.maximum ?? Infinity)
}

/** `redis` and `always` are `redis-always`; a name of a document has small letters, digits and dashes. */
export function variantName(base: string, value: Value, taken: readonly unknown[]): string {
  const words = valueWords(value)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const name = `${base}-${words}`.slice(0, 60).replace(/-+$/, '')
  return freshName(name, taken)
}

/**
 * The targets that one target becomes when one of its settings is varied, the target itself first.
 *
 * It keeps its name, so that what the document says of it stays true, and its value where that is
 * among those asked for; the others are copies of it, each with one value.
 *
 * @param now the value that holds for it: what it sets, or the default.
 * @param taken names of all targets.
 */
export function varied(
  target: Item,
  part: Part,
  name: string,
  values: readonly Value[],
  now: unknown,
  taken: readonly unknown[],
): Item[] {
  const own = values.find((value) => value === now) ?? values[0]
  if (own === undefined) return [target]
  const withValue = (value: Value): Item => ({ ...target, [part]: { ...(target[part] as Item), [name]: value } })
  const names = [...taken]
  const others = values
    .filter((value) => value !== own)
    .map((value) => {
      const called = variantName(wordOf(target['name'], 'target'), value, names)
      names.push(called)
      return { ...withValue(value), name: called }
    })
  return [withValue(own), ...others]
}
