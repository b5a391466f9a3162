import type { FieldError } from '@/api'

import type { Path } from './draft'

/** Writes a path the way the server does: `targets[0].parameters.maxmemory`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}

/** Reads the server's spelling of a path back into steps. */
export function parsePath(text: string): (string | number)[] {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map((match) =>
    match[1] === undefined ? (match[2] ?? '') : Number(match[1]),
  )
}

/** Complaints by the field they belong to. */
export class FieldErrors {
  private readonly byPath: Map<string, FieldError[]>

  constructor(readonly all: readonly FieldError[]) {
    this.byPath = new Map()
    for (const error of all) {
      const path = pathText(parsePath(error.path))
      this.byPath.set(path, [...(this.byPath.get(path) ?? []), error])
    }
  }

  /** The complaint about exactly this field, in words; undefined when there is none. */
  at(path: Path): string | undefined {
    const errors = this.byPath.get(pathText(path))
    if (!errors) return undefined
    return errors
      .map((error) => {
        const told = !error.expected || error.message.includes(error.expected)
        return told ? error.message : `${error.message} (expected ${error.expected})`
      })
      .join('; ')
  }

  /** How many complaints are about this field or what is inside it. */
  countUnder(path: Path): number {
    const prefix = pathText(path)
    return [...this.byPath].reduce(
      (count, [key, errors]) =>
        key === prefix || key.startsWith(`${prefix}.`) || key.startsWith(`${prefix}[`) ? count + errors.length : count,
      0,
    )
  }
}
