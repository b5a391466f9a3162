import { FIGURES, type RunSeries, type RunSpectrum } from '@/api'
import {
  operationColour,
  PERCENTILES,
  rangeInWords,
  spectrumOption,
  timeLinesOption,
  timeUnit,
  writeTime,
  type AxisFormat,
  type ChartOption,
  type ChartTable,
  type Moment,
  type Palette,
  type Stretch,
  type TimeLine,
} from '@/charts'
import { formatBytes, formatCount, formatFlow, formatLatency, formatThroughput, type Shown } from '@/ui'

import { courseOf, momentOf } from './course'

const words = (shown: Shown): string => (shown.unit ? `${shown.value} ${shown.unit}` : shown.value)

/** How throughput stands on an axis. */
export const THROUGHPUT: AxisFormat = { name: '', write: (value) => words(formatThroughput(value)) }
/** How a latency in µs stands on an axis. */
export const LATENCY: AxisFormat = { name: '', write: (value) => words(formatLatency(value)) }
/** How bytes stand on an axis. */
export const BYTES: AxisFormat = { name: '', write: (value) => words(formatBytes(value)), base: 1024 }
/** How bytes a second stand on an axis. */
export const FLOW: AxisFormat = { name: '', write: (value) => words(formatFlow(value)), base: 1024 }
/** How CPU use stands on an axis; 100 % is one core. */
export const PERCENT: AxisFormat = { name: '', write: (value) => `${Math.round(value)} %` }

/** How a number of operations stands on an axis. */
export const OPERATIONS: AxisFormat = { name: '', write: (value) => formatCount(Math.round(value)) }

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
    until: series.operations[name]?.until ?? [],
    values: series.operations[name]?.throughput ?? [],
    // One band is read at a glance, several over each other are not.
    ...(name === shown.at(-1)
      ? { low: series.operations[name]?.throughput_low ?? [], high: series.operations[name]?.throughput_high ?? [] }
      : {}),
  }))
  const all = series.operations['all']
  if (all?.errors.some((count) => (count ?? 0) > 0)) {
    lines.push({
      name: 'errors',
      colour: palette.bad,
      dash: 'dashed',
      times: all.t,
      until: all.until,
      values: all.errors,
    })
  }
  if (all?.not_found.some((count) => (count ?? 0) > 0)) {
    const { t: times, until, not_found: values } = all
    lines.push({ name: 'not found', colour: palette.caution, dash: 'dotted', times, until, values })
  }
  return lines
}

/** Bytes of values that came and went a second; none where nothing is known, or nothing moved. */
export function flowLines(series: RunSeries, palette: Palette): TimeLine[] {
  const all = series.operations['all']
  const payloads = Object.entries(series.payloads)
  if (!all) return []
  // An operation's line has the points of the phases that have the operation.
  const rates = new Map(
    Object.entries(series.operations).map(([name, { t, throughput }]) => [
      name,
      new Map(t.map((time, at) => [time, throughput[at] ?? 0])),
    ]),
  )
  const lines = (['read', 'written'] as const).map((way) => {
    const known = payloads.every(([, payload]) => payload[way] !== null)
    const values = all.t.map((time) =>
      payloads.reduce((sum, [name, payload]) => sum + (payload[way] ?? 0) * (rates.get(name)?.get(time) ?? 0), 0),
    )
    return {
      name: `values ${way}`,
      colour: operationColour(way === 'read' ? 'read' : 'update', palette),
      times: all.t,
      until: all.until,
      values: known ? values : [],
    }
  })
  return lines.filter((line) => line.values.some((value) => value > 0))
}

/** The percentiles of one operation over time; a percentile nothing was measured for is left out. */
export function latencyLines(series: RunSeries, operation: string, palette: Palette): TimeLine[] {
  const figures = series.operations[operation]
  if (!figures) return []
  return PERCENTILES.map((percentile) => ({
    name: FIGURES[percentile.key].short,
    colour: palette[percentile.tone],
    dash: percentile.dash,
    times: figures.t,
    until: figures.until,
    values: figures[percentile.key],
    ...(percentile.key === 'p99_us' ? { low: figures.p99_low_us, high: figures.p99_high_us } : {}),
  })).filter((line) => line.values.some((value) => value !== null))
}

/** What was due, sent and answered in an open loop, and what was never sent; empty where nobody told. */
export function arrivalLines({ arrivals }: RunSeries, palette: Palette): TimeLine[] {
  if (!arrivals) return []
  const { t: times, until } = arrivals
  const lines: TimeLine[] = [
    { name: 'due', colour: palette.caution, dash: 'dashed', times, until, values: arrivals.due },
    { name: 'sent', colour: palette.info, dash: 'dotted', times, until, values: arrivals.sent },
    { name: 'answered', colour: palette.ink, times, until, values: arrivals.answered },
  ]
  if (arrivals.never_sent.some((rate) => rate > 0))
    lines.push({ name: 'never sent', colour: palette.bad, times, until, values: arrivals.never_sent })
  return lines
}

/** Operations that were due and not sent at the end of each window of an open loop. */
export function backlogLines({ arrivals }: RunSeries, palette: Palette): TimeLine[] {
  if (!arrivals) return []
  const { t: times, until, backlog: values } = arrivals
  return [{ name: 'backlog', colour: palette.bad, times, until, values }]
}

/** The course of an open loop in a sentence; empty where nobody told. */
export function arrivalsInWords({ arrivals }: RunSeries): string {
  if (!arrivals) return ''
  const sum = (rates: readonly number[]): string =>
    formatCount(
      Math.round(rates.reduce((all, rate, at) => all + rate * ((arrivals.until[at] ?? 0) - (arrivals.t[at] ?? 0)), 0)),
    )
  const most = formatCount(Math.max(0, ...arrivals.backlog))
  return (
    `${sum(arrivals.due)} operations were due, ${sum(arrivals.answered)} were answered and ` +
    `${sum(arrivals.never_sent)} never sent; at most ${most} waited to be sent at the end of a step.`
  )
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

/** CPU of the system and the driver of one machine. */
export function cpuLines(resources: RunSeries['resources'], palette: Palette): TimeLine[] {
  const { t: times, cpu_percent, driver_cpu_percent } = resources
  const lines: TimeLine[] = [
    { name: 'system under test', colour: palette.ink, times, values: cpu_percent },
    { name: 'driver', colour: palette.info, dash: 'dashed', times, values: driver_cpu_percent },
  ]
  return lines.filter((line) => line.values.some((value) => value !== null))
}

/** Memory of the system on one machine; empty where nobody looked. */
export function memoryLines(resources: RunSeries['resources'], palette: Palette): TimeLine[] {
  const { t: times, resident_bytes: values } = resources
  return values.some((value) => value !== null) ? [{ name: 'resident', colour: palette.ink, times, values }] : []
}

/** A line of a run in a sentence. */
export function wordsOf(what: string, line: TimeLine | undefined, format: AxisFormat, series: RunSeries): string {
  const span = series.phases.at(-1)?.end_seconds ?? 0
  return rangeInWords(what, line?.values ?? [], format.write, writeTime(span, timeUnit(span)))
}

/** The figures of lines as a table, one row an instant; extremes beside the lines that have some. */
export function linesTable(lines: readonly TimeLine[]): ChartTable {
  const times = [...new Set(lines.flatMap((line) => line.times))].sort((a, b) => a - b)
  const columns = lines.flatMap((line) => {
    const places = new Map(line.times.map((time, at) => [time, at]))
    const column = (name: string, values: readonly (number | null)[]) => ({
      name,
      value: (time: number) => values[places.get(time) ?? -1] ?? null,
    })
    const { low, high } = line
    return [
      column(line.name, line.values),
      ...(low?.some((value) => value !== null) ? [column(`${line.name} lowest`, low)] : []),
      ...(high?.some((value) => value !== null) ? [column(`${line.name} highest`, high)] : []),
    ]
  })
  return {
    columns: ['seconds', ...columns.map((column) => column.name)],
    rows: times.map((time) => [
      round(time),
      ...columns.map((column) => {
        const value = column.value(time)
        return value === null ? null : round(value)
      }),
    ]),
  }
}

/** How fine a run is shown, in words; empty where each interval has its own point. */
export function detailInWords(series: RunSeries): string {
  const { detail } = series
  if (!detail || detail.extremes_seconds === null) return ''
  return (
    ` A point stands for ${duration(detail.point_seconds)}; bands: the lowest and highest of its intervals of ` +
    `${duration(detail.extremes_seconds)}.`
  )
}

function duration(seconds: number): string {
  return `${Number(seconds.toPrecision(3))} s`
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
