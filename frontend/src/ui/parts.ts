import { formatCount, plural } from './format'

/** How many a list has in all; beyond `count` nobody counted where it is not exact. */
export interface Total {
  count: number
  is_exact: boolean
}

/** Where a part of a list lies between the others, as the API says it. */
export interface Part {
  next_cursor?: string | null
  previous_cursor?: string | null
  total?: Total | null
}

/** A way from one part of a list to another one. */
export interface Step {
  label: string
  rel: 'first' | 'prev' | 'next' | 'last'
  /** As it stands in the address; null: there is nothing on that side. */
  cursor: string | null
}

/** What stands in the address of the last part. */
export const OLDEST = 'oldest'

/**
 * The ways on from a part of a list that is ordered by time, the newest first.
 *
 * @param cursor that the part was asked for with; empty: the first one.
 */
export function stepsOf(part: Part, cursor: string): Step[] {
  return [
    { label: 'Newest', rel: 'first', cursor: cursor || part.previous_cursor ? '' : null },
    { label: 'Newer', rel: 'prev', cursor: part.previous_cursor ?? null },
    { label: 'Older', rel: 'next', cursor: part.next_cursor ?? null },
    { label: 'Oldest', rel: 'last', cursor: part.next_cursor ? OLDEST : null },
  ]
}

/** How many of how many are shown: `50 of 1 000 campaigns`. */
export function countWords(shown: number, total: Total | null | undefined, word: string, many = `${word}s`): string {
  if (!total) return plural(shown, word, many)
  const all = total.is_exact ? plural(total.count, word, many) : `more than ${formatCount(total.count)} ${many}`
  return total.is_exact && shown === total.count ? all : `${formatCount(shown)} of ${all}`
}
