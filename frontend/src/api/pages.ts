import { unwrap, type Answer } from './client'

/** A part of a list, as the API answers it. */
interface Part<T> {
  items: T[]
  next_cursor?: string | null
}

/** Largest part of a list that the API gives. */
export const LARGEST_PART = 200

/**
 * All of a list, part after part, for what is chosen from or searched as a whole.
 *
 * @param ask asks for one part: `limit` items at `cursor`; undefined: from the newest.
 * @returns the list as if it were one part, in the API's order.
 * @throws ApiProblem as `unwrap`.
 */
export async function unwrapAll<T>(
  ask: (part: { limit: number; cursor: string | undefined }) => Promise<Answer<Part<T>>>,
): Promise<{ items: T[] }> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const part = await unwrap(ask({ limit: LARGEST_PART, cursor }))
    items.push(...part.items)
    cursor = part.next_cursor ?? undefined
  } while (cursor !== undefined)
  return { items }
}
