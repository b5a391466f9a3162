import { computed, type Ref } from 'vue'

import { useAnswer, type ComparisonAddress } from './queries'
import type { CompareView } from './view'

/** Figures for which the comparison's own answer stands: what each kind of load is read by. */
const OWN = ['throughput', 'all']

/**
 * What may be said of the sides on show, by the ledger's figure: the comparison's own answer, or the
 * server's to the narrower question.
 *
 * @returns the answer, and whether it is that of the view already.
 */
export function useShownAnswer({ comparison, sides, state }: CompareView, question: Ref<ComparisonAddress>) {
  const hidden = computed(() => sides.value.flatMap((side) => (side.hidden ? side.place : [])))
  /** An address may name a figure that is not compared: then the answer is of the usual one. */
  const figure = computed(() =>
    comparison.value?.differences.some((one) => one.metric === state.figure.value) ? state.figure.value : 'all',
  )
  const wanted = computed(() => ({
    ...(OWN.includes(figure.value) ? {} : { figure: figure.value }),
    ...(hidden.value.length ? { hidden: hidden.value } : {}),
  }))
  const otherwise = computed(() => comparison.value !== undefined && Object.keys(wanted.value).length > 0)
  const asked = useAnswer(question, wanted, otherwise)
  return {
    answer: computed(() => (otherwise.value ? asked.data.value : undefined) ?? comparison.value),
    settled: computed(() => !otherwise.value || (asked.data.value !== undefined && !asked.isPlaceholderData.value)),
    error: computed(() => (otherwise.value ? asked.error.value : null)),
  }
}
