import { stringify } from 'yaml'

/** A value as the document writes it; nothing: empty. */
export function changedValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : stringify(value).trimEnd()
}

/** Where something changed; a member of a list that is told by all that it says is not told twice. */
export function changedPlace(path: string): string {
  return path.replace(/\[[^\]]*,[^\]]*\]$/, '')
}
