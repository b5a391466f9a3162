import type { Comparison, ComparisonSide, Distributions } from '@/api'
import type { AxisFormat, BandedLine, ChartTable } from '@/charts'
import { BAND, formatLatency, formatRelative } from '@/ui'

const latency = (us: number): string => {
  const shown = formatLatency(us)
  return `${shown.value}\u202f${shown.unit}`
}

/** How a latency in µs stands on an axis. */
export const LATENCY: AxisFormat = { name: '', write: latency }
/** How a relative difference stands on an axis. */
export const SHIFT: AxisFormat = { name: '', write: (value) => formatRelative(value, Math.abs(value) < 0.1 ? 1 : 0) }

const named = (sides: readonly ComparisonSide[], key: string): string =>
  sides.find((side) => side.key === key)?.label ?? key
const coloured = (sides: readonly ComparisonSide[], key: string): string =>
  sides.find((side) => side.key === key)?.colour ?? '#888888'

/** What was found of some sides; shifts need both of theirs. */
export function seenOf(found: Distributions, sides: readonly ComparisonSide[]): Distributions {
  const keys = new Set(sides.map((side) => side.key))
  return {
    ...found,
    sides: found.sides.filter((one) => keys.has(one.side)),
    shifts: found.shifts.filter((one) => keys.has(one.side) && keys.has(one.baseline_side)),
  }
}

/** The percentiles of every side. */
export function spectrumLines(found: Distributions, sides: readonly ComparisonSide[]): BandedLine[] {
  return found.sides.map((one) => ({
    key: one.side,
    name: named(sides, one.side),
    colour: coloured(sides, one.side),
    points: one.points.map((point) => ({
      quantile: point.quantile,
      value: point.value_us,
      low: point.low_us,
      high: point.high_us,
    })),
  }))
}

/** By how much each percentile of a side is slower than its baseline's. */
export function shiftLines(found: Distributions, sides: readonly ComparisonSide[]): BandedLine[] {
  return found.shifts.map((one) => ({
    key: one.side,
    name: `${named(sides, one.side)} against ${named(sides, one.baseline_side)}`,
    colour: coloured(sides, one.side),
    points: one.points.map((point) => ({
      quantile: point.quantile,
      value: point.relative,
      low: point.low,
      high: point.high,
    })),
  }))
}

/** The lines of a chart as a table; percentiles in percent. */
export function linesTable(lines: readonly BandedLine[], unit: string, scale = 1): ChartTable {
  const round = (value: number | null) => (value === null ? null : Number((value * scale).toPrecision(5)))
  return {
    columns: ['side', 'percentile', unit, `${BAND}, low`, `${BAND}, high`],
    rows: lines.flatMap((line) =>
      line.points.map((point) => [
        line.name,
        `p${Number((point.quantile * 100).toFixed(5))}`,
        round(point.value),
        round(point.low),
        round(point.high),
      ]),
    ),
  }
}

/** The chart in a sentence: a middle and a far percentile of each line. */
export function sentenceOf(lines: readonly BandedLine[], format: AxisFormat): string {
  const at = (line: BandedLine, quantile: number) => line.points.find((point) => point.quantile >= quantile - 1e-9)
  const told = lines.flatMap((line) => {
    const [middle, far] = [at(line, 0.5), at(line, 0.99)]
    if (!middle) return []
    return [`${line.name}: median ${format.write(middle.value)}${far ? `, p99 ${format.write(far.value)}` : ''}`]
  })
  return `${told.join('; ')}. A table of all percentiles can be shown in place of the chart.`
}

/** Why there is no band where there is none; empty where every line has one. */
export function bandsMissing(found: Distributions, sides: readonly ComparisonSide[]): string {
  const few = found.sides.filter((one) => !one.banded).map((one) => `${named(sides, one.side)}: ${one.runs}`)
  if (few.length)
    return (
      `No band where there are fewer than ${found.fewest_for_a_band} runs (${few.join(', ')}): ` +
      'so few cannot tell how much the next one would differ.'
    )
  const apart = found.shifts.filter((one) => !one.banded).map((one) => named(sides, one.side))
  return apart.length
    ? `No band for ${apart.join(', ')}: fewer than ${found.fewest_for_a_band} blocks are shared with the baseline.`
    : ''
}

/** The cells there is something to show of, in document order: workload → labels of its levels. */
export function measuredCells(comparison: Comparison): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const workload of comparison.workloads) {
    const levels = comparison.load_levels
      .map((level) => level.label)
      .filter((label) =>
        comparison.cells.some(
          (cell) => cell.workload === workload && cell.load_level.label === label && cell.repeats.length > 0,
        ),
      )
    if (levels.length) found.set(workload, levels)
  }
  return found
}

/** Where a side's histogram is kept from. */
export function histogramAddress(
  side: string,
  cell: { workload: string; load_level: string; operation: string },
  format: 'hgrm' | 'hlog',
): string {
  return `/api/v1/comparisons/histogram?${new URLSearchParams({ side, ...cell, format })}`
}
