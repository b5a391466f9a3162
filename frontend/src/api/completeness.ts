import type { components } from './schema'

/** Whether figures are all there will be; where not, of how many runs they are, in words. */
export type Completeness = components['schemas']['CompletenessRead']

const ASK_AGAIN_MS = 5000

/** How soon figures are asked for again: while more of them may come, and never once they are complete. */
export function whileIncomplete(query: { state: { data?: { completeness: Completeness } | undefined } }) {
  return query.state.data?.completeness.complete === false ? ASK_AGAIN_MS : false
}
