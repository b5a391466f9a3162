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
 * @throws what `ask` throws.
 */
export async function requestAll<T>(
  ask: (part: { limit: number; cursor: string | undefined }) => Promise<Part<T>>,
): Promise<{ items: T[] }> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const part = await ask({ limit: LARGEST_PART, cursor })
    items.push(...part.items)
    cursor = part.next_cursor ?? undefined
  } while (cursor !== undefined)
  return { items }
}
