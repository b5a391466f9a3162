import type { SeriesSummary } from '@/api'

/** A target of an experiment under one workload, as its latest campaign measured it. */
export interface Measured {
  key: string
  experiment: string
  target: string
  workload: string
  at: string | null
  /** From the least load to the most. */
  levels: readonly MeasuredLevel[]
}

/** What it did at one load. */
interface MeasuredLevel {
  label: string
  throughput: SeriesSummary
  /** Where it is measured. */
  p99: SeriesSummary | undefined
}

const cellOf = (one: SeriesSummary) => `${rowOf(one)}\n${one.load_level.label}`
const rowOf = (one: SeriesSummary) => [one.experiment.id, one.target, one.workload].join('\n')
const latest = (levels: readonly MeasuredLevel[]) =>
  levels
    .flatMap(({ throughput }) => throughput.last_at ?? [])
    .sort()
    .at(-1) ?? null

/**
 * What was measured of a system, the latest first.
 *
 * @param throughput its series of throughput.
 * @param p99 its series of p99 latency.
 */
export function measuredOf(throughput: readonly SeriesSummary[], p99: readonly SeriesSummary[]): Measured[] {
  const latencies = new Map(p99.map((one) => [cellOf(one), one]))
  const rows = new Map<string, SeriesSummary[]>()
  for (const one of throughput) {
    if (one.last_value !== null) rows.set(rowOf(one), [...(rows.get(rowOf(one)) ?? []), one])
  }
  return [...rows]
    .map(([key, [first, ...more]]) => {
      const levels = [first!, ...more]
        .sort((a, b) => a.load_level.value - b.load_level.value)
        .map((one) => ({ label: one.load_level.label, throughput: one, p99: latencies.get(cellOf(one)) }))
      const { experiment, target_name: target, workload } = first!
      return { key, experiment: experiment.name, target, workload, at: latest(levels), levels }
    })
    .sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))
}
