import { FIGURES, figureOf, IN_ORDER, type Comparison, type ComparisonSide, type Difference, type Figure } from '@/api'
import type { AxisFormat } from '@/charts'
import { BY_SCALE, type Shown } from '@/ui'

/** A figure that sides are compared by. */
export interface MetricKind {
  key: string
  label: string
  unit: string
  /** Whether more is better; null where neither is. */
  moreIsBetter: boolean
  shown: (value: number | null | undefined) => Shown
  /** Of the prefixes of its unit: 1024 of bytes. */
  base: 1000 | 1024
  /** Whether history has series of it. */
  inHistory: boolean
}

function kindOf(key: string, { label, note, moreIsBetter, scale, inHistory }: Figure): MetricKind {
  const base = scale === 'size' || scale === 'flow' ? 1024 : 1000
  return { key, label, unit: note, moreIsBetter, shown: BY_SCALE[scale], base, inHistory }
}

/** The figures in the order they are shown. */
export const METRICS: readonly MetricKind[] = IN_ORDER.map((figure) => kindOf(figure.key, figure))

/** The latencies that load curves can be drawn over, by their word in the address; the shorter first. */
export const LATENCIES = Object.entries(FIGURES)
  .filter(([, { isLatency }]) => isLatency)
  .map(([key, { short }]) => ({ word: short, key }))

/** The figure behind the word of a latency. */
export function latencyKey(word: string): string {
  return LATENCIES.find((one) => one.word === word)?.key ?? 'p99_us'
}

const FORMER_NAMES: Record<string, string> = { memory_bytes: 'memory_after_load_bytes' }

/** A metric's name of today, for addresses from before. */
export function currentName(key: string): string {
  return FORMER_NAMES[key] ?? key
}

/** The kind of a figure or of any percentile, or undefined when the server knows one that this page does not. */
export function metricKind(key: string): MetricKind | undefined {
  const figure = figureOf(key)
  return figure && kindOf(key, figure)
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
  return { name: '', write: (value) => written(metric, value), base: metric.base }
}

/** A value as an axis writes it: without figures that say nothing, and without `op/s` at each tick. */
export function ticked(metric: MetricKind, value: number): string {
  const { value: text, unit } = metric.shown(value)
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  const named = unit.replace(/\s?op\/s$/, '')
  return named ? `${short}\u202f${named}` : short
}

/** Whether any side of a workload has this figure. */
export function hasMetric(comparison: Comparison, metric: string): boolean {
  return comparison.cells.some((cell) => metric in cell.figures)
}
