import { computed, type WritableComputedRef } from 'vue'

import { measuredCells } from './distributions'
import { useCompare } from './view'

/** The cell that a part of the page is about, chosen in the address. */
export interface CellChoice {
  workload: WritableComputedRef<string>
  /** Label of its load level. */
  level: WritableComputedRef<string>
  workloads: () => { value: string; label: string }[]
  levels: () => { value: string; label: string }[]
}

/**
 * A workload and one of its loads among those with results; both empty while there are none.
 *
 * @param first the load while the address names none: the lightest, or the heaviest.
 */
export function useCellChoice(first: 'lightest' | 'heaviest'): CellChoice {
  const { comparison, state } = useCompare()
  const cells = computed(() => (comparison.value ? measuredCells(comparison.value) : new Map<string, string[]>()))
  const among = (kept: { value: string }, names: () => readonly string[], place: number) =>
    computed({
      get: () => (names().includes(kept.value) ? kept.value : (names().at(place) ?? '')),
      set: (value: string) => (kept.value = value),
    })
  const options = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }))
  const workloads = () => [...cells.value.keys()]
  const workload = among(state.workload, workloads, 0)
  const levels = () => cells.value.get(workload.value) ?? []
  const level = among(state.load, levels, first === 'lightest' ? 0 : -1)
  return { workload, level, workloads: () => options(workloads()), levels: () => options(levels()) }
}
