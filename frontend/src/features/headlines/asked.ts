/** A campaign as far as it must be known to ask what it came to. */
export interface Campaign {
  id: string
  state: string
  runs?: { completed: number; failed: number; cancelled: number }
}

/** So many are asked for at once: what is slow to work out holds up few others. */
const AT_ONCE = 10
const ENDED = new Set(['completed', 'failed', 'cancelled'])

/** The campaigns in groups that are asked for together; those under way, which change, in groups of their own. */
export function asked<T extends Campaign>(campaigns: readonly T[]): T[][] {
  const over = campaigns.filter(({ state }) => ENDED.has(state))
  const open = campaigns.filter(({ state }) => !ENDED.has(state))
  return [over, open].flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / AT_ONCE) }, (_, at) => some.slice(at * AT_ONCE, (at + 1) * AT_ONCE)),
  )
}

/** What an answer is of: another state of a campaign, another answer. */
export function keyOf({ id, state, runs }: Campaign): string {
  return [id, state, ...(runs ? [runs.completed, runs.failed, runs.cancelled] : [])].join(' ')
}
