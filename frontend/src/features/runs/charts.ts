import type { RunSeries, RunSpectrum } from '@/api'
import {
  operationColour,
  PERCENTILES,
  spectrumOption,
  timeLinesOption,
  type AxisFormat,
  type ChartOption,
  type ChartTable,
  type Moment,
  type Palette,
  type Stretch,
  type TimeLine,
} from '@/charts'
import { formatBytes, formatLatency, formatThroughput, type Shown } from '@/ui'

import { courseOf, momentOf } from './course'

const words = (shown: Shown): string => (shown.unit ? `${shown.value} ${shown.unit}` : shown.value)

/** How throughput stands on an axis. */
export const THROUGHPUT: AxisFormat = { name: '', write: (value) => words(formatThroughput(value)) }
/** How a latency in µs stands on an axis. */
export const LATENCY: AxisFormat = { name: '', write: (value) => words(formatLatency(value)) }
/** How bytes stand on an axis. */
export const BYTES: AxisFormat = { name: '', write: (value) => words(formatBytes(value)), base: 1024 }
/** How CPU use stands on an axis; 100 % is one core. */
export const PERCENT: AxisFormat = { name: '', write: (value) => `${Math.round(value)} %` }

/** Operations in a fixed order, `all` last. */
export function operationsOf(series: { operations: Record<string, unknown> }): string[] {
  const order = ['read', 'update', 'insert', 'scan', 'read_modify_write', 'delete', 'all']
  return Object.keys(series.operations).sort((a, b) => order.indexOf(a) - order.indexOf(b))
}

/** Throughput of each operation, errors and not-found beside it where there were any. */
export function throughputLines(series: RunSeries, palette: Palette): TimeLine[] {
  const operations = operationsOf(series)
  const shown = operations.length === 2 ? operations.filter((name) => name !== 'all') : operations
  const lines: TimeLine[] = shown.map((name) => ({
    name,
    colour: operationColour(name, palette),
    times: series.operations[name]?.t ?? [],
    values: series.operations[name]?.throughput ?? [],
  }))
  const all = series.operations['all']
  if (all?.errors.some((count) => (count ?? 0) > 0)) {
    lines.push({ name: 'errors', colour: palette.bad, dash: 'dashed', times: all.t, values: all.errors })
  }
  if (all?.not_found.some((count) => (count ?? 0) > 0)) {
    lines.push({ name: 'not found', colour: palette.caution, dash: 'dotted', times: all.t, values: all.not_found })
  }
  return lines
}

/** The percentiles of one operation over time; a percentile nothing was measured for is left out. */
export function latencyLines(series: RunSeries, operation: string, palette: Palette): TimeLine[] {
  const figures = series.operations[operation]
  if (!figures) return []
  return PERCENTILES.map((percentile) => ({
    name: percentile.label,
    colour: palette[percentile.tone],
    dash: percentile.dash,
    times: figures.t,
    values: figures[percentile.key],
  })).filter((line) => line.values.some((value) => value !== null))
}

/** A chart of lines over the run's seconds, with the run's phases and marks behind it. */
export function runLines(
  series: RunSeries,
  lines: readonly TimeLine[],
  format: AxisFormat,
  palette: Palette,
  extra: { logarithmic?: boolean; named?: boolean; stretches?: readonly Stretch[] } = {},
): ChartOption {
  const moments: Moment[] = courseOf(series.marks).map(momentOf)
  return timeLinesOption({ lines, format, phases: series.phases, moments, ...extra }, palette)
}

/** The figures of lines as a table, one row an instant. */
export function linesTable(lines: readonly TimeLine[]): ChartTable {
  const times = [...new Set(lines.flatMap((line) => line.times))].sort((a, b) => a - b)
  const byTime = lines.map((line) => new Map(line.times.map((time, at) => [time, line.values[at] ?? null])))
  return {
    columns: ['seconds', ...lines.map((line) => line.name)],
    rows: times.map((time) => [
      round(time),
      ...byTime.map((values) => {
        const value = values.get(time) ?? null
        return value === null ? null : round(value)
      }),
    ]),
  }
}

/** The spectrum of every operation. */
export function spectrumChart(spectrum: RunSpectrum, palette: Palette): ChartOption {
  const lines = operationsOf(spectrum).map((name) => ({
    name,
    colour: operationColour(name, palette),
    points: spectrum.operations[name] ?? [],
  }))
  return spectrumOption(lines, LATENCY, palette)
}

/** The spectrum's figures as a table. */
export function spectrumTable(spectrum: RunSpectrum): ChartTable {
  return {
    columns: ['operation', 'percentile', 'µs', 'operations up to here'],
    rows: operationsOf(spectrum).flatMap((name) =>
      (spectrum.operations[name] ?? []).map((point) => [
        name,
        Number((point.quantile * 100).toFixed(6)),
        round(point.value_us),
        point.count,
      ]),
    ),
  }
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
