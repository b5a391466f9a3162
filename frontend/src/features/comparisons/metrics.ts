import { FIGURES, type Comparison, type ComparisonSide, type Difference, type FigureName, type Metric } from '@/api'
import type { AxisFormat } from '@/charts'
import { formatBytes, formatLatency, formatThroughput, type Shown } from '@/ui'

/** A figure that sides are compared by. */
export interface MetricKind {
  key: Metric
  label: string
  unit: string
  /** Whether more is better; null where neither is. */
  moreIsBetter: boolean
  shown: (value: number | null | undefined) => Shown
  /** Whether history has series of it. */
  inHistory: boolean
}

/** Those that are shown, in their order; what they are called, the API says. */
const SHOWN: readonly { key: Metric & FigureName; shown: MetricKind['shown']; inHistory?: boolean }[] = [
  { key: 'throughput', shown: formatThroughput, inHistory: true },
  { key: 'p99_us', shown: formatLatency, inHistory: true },
  { key: 'p50_us', shown: formatLatency, inHistory: true },
  { key: 'p95_us', shown: formatLatency },
  { key: 'p999_us', shown: formatLatency, inHistory: true },
  { key: 'mean_us', shown: formatLatency },
  { key: 'memory_after_bytes', shown: formatBytes },
  { key: 'memory_after_load_bytes', shown: formatBytes, inHistory: true },
  { key: 'memory_before_bytes', shown: formatBytes },
  { key: 'load_throughput', shown: formatThroughput, inHistory: true },
]

/** The figures in the order they are shown. */
export const METRICS: readonly MetricKind[] = SHOWN.map(({ key, shown, inHistory = false }) => {
  const { label, note, moreIsBetter } = FIGURES[key]
  return { key, label, unit: note, moreIsBetter, shown, inHistory }
})

/** The latencies that load curves can be drawn over, by their word in the address. */
export const LATENCIES = [
  { word: 'p50', key: 'p50_us' },
  { word: 'p95', key: 'p95_us' },
  { word: 'p99', key: 'p99_us' },
  { word: 'p99.9', key: 'p999_us' },
  { word: 'mean', key: 'mean_us' },
] as const satisfies readonly { word: string; key: Metric }[]

export type LatencyWord = (typeof LATENCIES)[number]['word']
export type LatencyKey = (typeof LATENCIES)[number]['key']

/** The figure behind the word of a latency. */
export function latencyKey(word: LatencyWord): LatencyKey {
  return LATENCIES.find((one) => one.word === word)!.key
}

const FORMER_NAMES: Record<string, string> = { memory_bytes: 'memory_after_load_bytes' }

/** A metric's name of today, for addresses from before. */
export function currentName(key: string): string {
  return FORMER_NAMES[key] ?? key
}

/** The kind of a metric, or undefined when the server knows one that this page does not. */
export function metricKind(key: string): MetricKind | undefined {
  return METRICS.find((metric) => metric.key === key)
}

/** A value with its unit in one text. */
export function written(metric: MetricKind, value: number | null | undefined): string {
  const shown = metric.shown(value)
  return shown.unit ? `${shown.value}\u202f${shown.unit}` : shown.value
}

/** Whether a difference lies within what its machine cannot tell from none. */
export function untold(difference: Pick<Difference, 'relative' | 'floor' | 'verdict'>): boolean {
  return (
    difference.floor !== null && Math.abs(difference.relative) <= difference.floor && difference.verdict !== 'changed'
  )
}

const HOLLOW: Record<string, string> = { '●': '○', '▲': '△', '■': '□', '◆': '◇', '▼': '▽' }

/**
 * Sides that can be told apart: a system keeps its colour, and where it stands on several sides, the
 * marks of the later ones are hollow, and from the third on paler too.
 */
export function distinct(sides: readonly ComparisonSide[]): ComparisonSide[] {
  const seen = new Map<string, number>()
  return sides.map((side) => {
    const times = seen.get(side.system_id) ?? 0
    seen.set(side.system_id, times + 1)
    if (times === 0) return { ...side }
    const colour = times > 1 ? paler(side.colour, Math.min(0.6, 0.25 * (times - 1))) : side.colour
    return { ...side, colour, mark: HOLLOW[side.mark] ?? side.mark }
  })
}

function paler(colour: string, share: number): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  if (parts.some((part) => Number.isNaN(part))) return colour
  return `#${parts
    .map((part) =>
      Math.round(part + (190 - part) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

/** How a metric stands on an axis. */
export function axisOf(metric: MetricKind): AxisFormat {
  return { name: '', write: (value) => written(metric, value), base: metric.key.endsWith('_bytes') ? 1024 : 1000 }
}

/** A value as an axis writes it: without figures that say nothing, and without `op/s` at each tick. */
export function ticked(metric: MetricKind, value: number): string {
  const { value: text, unit } = metric.shown(value)
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  const named = unit.replace(/\s?op\/s$/, '')
  return named ? `${short}\u202f${named}` : short
}

/** Whether any side of a workload has this figure. */
export function hasMetric(comparison: Comparison, metric: Metric): boolean {
  return comparison.cells.some((cell) => cell[metric] !== null)
}
