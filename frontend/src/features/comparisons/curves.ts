import { computed } from 'vue'

import { firstEnvelope, insideEnvelope, loadLines, roundEnvelope } from './loadCurves'
import { latencyKey } from './metrics'
import type { CompareView } from './view'

/** The load curves of all workloads at the latency of choice, and the envelope that is laid over them. */
export function useCurves({ comparison, shown, state }: CompareView) {
  const latency = computed(() => latencyKey(state.percentile.value))
  const all = computed(() => {
    const found = comparison.value
    if (!found) return []
    return found.workloads.map((workload) => ({
      workload,
      lines: loadLines(found, shown.value, workload, latency.value),
    }))
  })
  const points = computed(() => all.value.flatMap(({ lines }) => lines.flatMap((line) => line.points)))
  const envelope = computed({
    get: () => state.envelope.value ?? firstEnvelope(points.value.map((point) => point.latency)),
    set: (value: number) => (state.envelope.value = roundEnvelope(value)),
  })
  /** Of each workload the line that does most inside; left out where none does, or only one is there. */
  const inside = computed(() =>
    all.value.flatMap(({ workload, lines }) => {
      const found = insideEnvelope(lines, latency.value, envelope.value).filter((one) => one.best)
      const most = found.sort((a, b) => b.best!.throughput - a.best!.throughput)[0]
      return most?.best && lines.length > 1 ? [{ workload, side: most.side, best: most.best }] : []
    }),
  )
  return { latency, all, points, envelope, inside }
}
