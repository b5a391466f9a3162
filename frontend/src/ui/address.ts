/** One value of a page's state, as it stands in the address. */
export interface AddressField<T> {
  /** What holds while the address says nothing; it is left out of the address. */
  initial: T
  /** Reads the texts of one name (`?side=a&side=b` has two); undefined when they make no sense. */
  read(texts: readonly string[]): T | undefined
  write(value: T): readonly string[]
}

/** Names of a page's state, each with the way it stands in the address. */
export type AddressFields = Record<string, AddressField<unknown>>

/** The values behind fields. */
export type AddressValues<F extends AddressFields> = {
  [K in keyof F]: F[K] extends AddressField<infer T> ? T : never
}

/** The part of a route that holds the state; vue-router's own shape. */
export type AddressQuery = Record<string, string | null | undefined | readonly (string | null)[]>

/** A free text. Given several times it is not said: one of them would be another's meaning. */
export function textField(initial = ''): AddressField<string> {
  return { initial, read: (texts) => (texts.length > 1 ? undefined : texts[0]), write: (value) => [value] }
}

/** One of several words; any other word counts as not said. */
export function choiceField<T extends string>(choices: readonly T[], initial: T): AddressField<T> {
  return { initial, read: ([text]) => choices.find((one) => one === text), write: (value) => [value] }
}

/** Yes or no: `1` is yes, `0` no. */
export function flagField(initial = false): AddressField<boolean> {
  return {
    initial,
    read: ([text]) => (text === '1' ? true : text === '0' ? false : undefined),
    write: (value) => [value ? '1' : '0'],
  }
}

/** A day as `2026-11-26`; empty: none. */
export function dayField(): AddressField<string> {
  return {
    initial: '',
    read: ([text = '']) => (/^\d{4}-\d\d-\d\d$/.test(text) && dayBegins(text) ? text : undefined),
    write: (value) => (value ? [value] : []),
  }
}

/**
 * When a day begins where the reader is, as the API takes instants.
 *
 * @param day as `2026-11-26`; undefined for any other text.
 * @param later so many days after it.
 */
export function dayBegins(day: string, later = 0): string | undefined {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + later)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** A number from `least` to `most`; null stands for none and is left out. */
export function numberField(least = -Infinity, most = Infinity): AddressField<number | null> {
  return {
    initial: null,
    read: ([text]) => {
      const value = text ? Number(text) : NaN
      return Number.isFinite(value) && value >= least && value <= most ? value : undefined
    },
    write: (value) => (value === null ? [] : [String(value)]),
  }
}

/** A whole number from `least` on. */
export function countField(initial = 0, least = 0): AddressField<number> {
  return {
    initial,
    read: ([text]) => {
      const value = text ? Number(text) : NaN
      return Number.isInteger(value) && value >= least ? value : undefined
    },
    write: (value) => [String(value)],
  }
}

/** Texts, each under the name once: `?side=a&side=b`. */
export function listField(): AddressField<readonly string[]> {
  return { initial: [], read: (texts) => texts.filter(Boolean), write: (value) => value }
}

/** Places in a list, as `2,0,1`; each once. */
export function placesField(): AddressField<readonly number[]> {
  return {
    initial: [],
    read: ([text]) => {
      const places = (text ?? '').split(',').filter(Boolean).map(Number)
      return places.every((place) => Number.isInteger(place) && place >= 0) ? [...new Set(places)] : undefined
    },
    write: (value) => (value.length ? [value.join(',')] : []),
  }
}

/** The texts that stand under one name of the address. */
export function textsOf(query: AddressQuery, name: string): string[] {
  const found = query[name]
  return [found].flat().filter((one): one is string => typeof one === 'string')
}

/** What a field's value is by this address. */
export function readField<T>(field: AddressField<T>, query: AddressQuery, name: string): T {
  const texts = textsOf(query, name)
  return (texts.length ? field.read(texts) : undefined) ?? field.initial
}

/**
 * The address with some values changed: what equals its initial value is left out, what other parts
 * of the page keep there stays.
 */
export function writeFields<F extends AddressFields>(
  fields: F,
  query: AddressQuery,
  changes: Partial<AddressValues<F>>,
): AddressQuery {
  const written: AddressQuery = { ...query }
  for (const [name, value] of Object.entries(changes)) {
    const field = fields[name]
    if (!field) continue
    const texts = [...field.write(value)]
    const initial = field.write(field.initial)
    const same = texts.length === initial.length && texts.every((text, at) => text === initial[at])
    if (same || !texts.length) delete written[name]
    else written[name] = texts.length === 1 ? texts[0] : texts
  }
  return written
}
