import type { FaultCost, FaultStretch } from '@/api'
import { FIGURES } from '@/api'
import type { ChartTable } from '@/charts'
import { formatBytes, formatCount, formatLatency, formatThroughput, type Shown } from '@/ui'

/** A figure of the table: its name, and how it was before, during and after. */
export interface StretchRow {
  label: string
  before: string
  during: string
  after: string
}

const words = (shown: Shown): string => `${shown.value} ${shown.unit}`.trim()
const LATENCIES = ['mean_us', 'p50_us', 'p95_us', 'p99_us', 'p999_us', 'p9999_us', 'max_us'] as const

/** Seconds as they are known: to the interval. */
export function secondsText(value: number, resolution = 0.1): string {
  return `${value.toFixed(resolution >= 1 ? 0 : 1)} s`
}

/** Before, during and after, a line for each figure; a stretch without an interval has none. */
export function stretchRows(fault: FaultCost): StretchRow[] {
  const [before, during, after] = ['before', 'during', 'after'].map((name) =>
    fault.stretches.find((one) => one.stretch === name),
  )
  const row = (label: string, text: (stretch: FaultStretch) => string): StretchRow => {
    const told = (stretch: FaultStretch | undefined) => (stretch?.intervals ? text(stretch) : '–')
    return { label, before: told(before), during: told(during), after: told(after) }
  }
  const all = (stretch: FaultStretch) => stretch.operations['all']
  const unsent = fault.stretches.some((one) => (all(one)?.never_sent ?? 0) > 0)
  return [
    row('seconds', (one) => `${one.begin_seconds.toFixed(1)} to ${one.end_seconds.toFixed(1)}`),
    row('throughput', (one) => words(formatThroughput(all(one)?.throughput))),
    ...LATENCIES.map((key) => row(FIGURES[key].short, (one) => words(formatLatency(all(one)?.[key])))),
    row('succeeded', (one) => formatCount(all(one)?.ok)),
    row('failed', (one) => formatCount(all(one)?.failed)),
    row('late', (one) => formatCount(one.late)),
    ...(unsent ? [row('never sent', (one) => formatCount(all(one)?.never_sent))] : []),
    row('not found', (one) => formatCount(all(one)?.not_found)),
  ]
}

/** How data was shared out anew after a fault, in a sentence; undefined where the system tells nothing. */
export function redistributionText(fault: FaultCost): string | undefined {
  const moved = fault.redistribution
  if (!moved) return undefined
  const begun = `${secondsText(moved.begin_seconds - fault.begin_seconds)} after the fault`
  if (moved.end_seconds === null || moved.moving_seconds === null)
    return `Redistribution began ${begun} and had not ended when the system was stopped.`
  const whole = secondsText(moved.end_seconds - moved.begin_seconds)
  const paused = moved.stretches > 1 ? ` in ${formatCount(moved.stretches)} stretches over ${whole}` : ''
  const took = `${secondsText(moved.moving_seconds)}${paused}`
  const shown = formatBytes(moved.bytes)
  const size = moved.bytes === null ? 'the system does not tell how much' : `${shown.value} ${shown.unit}`
  const count = moved.transfers ?? 0
  const parts = moved.transfers === null ? '' : ` in ${formatCount(count)} ${count === 1 ? 'transfer' : 'transfers'}`
  const failed = moved.failed ? `, of which ${formatCount(moved.failed)} failed` : ''
  return `Redistribution began ${begun} and took ${took}: ${size}${parts}${failed}.`
}

/** The same as figures to take along, one row an operation and stretch, with how the system came back. */
export function stretchTable(fault: FaultCost): ChartTable {
  const { recovery } = fault
  const back = (value: number | null | undefined) => value ?? null
  return {
    columns: [
      'fault',
      'operation',
      'stretch',
      'from second',
      'to second',
      'throughput, op/s',
      ...LATENCIES.map((key) => `${FIGURES[key].short}, µs`),
      'succeeded',
      'failed',
      'not found',
      'late',
      'noticed after, s',
      'success again after, s',
      'p99 back after, s',
      'missing',
    ],
    rows: fault.stretches
      .filter((stretch) => stretch.intervals > 0)
      .flatMap((stretch) =>
        Object.entries(stretch.operations).map(([operation, figures]) => [
          fault.label,
          operation,
          stretch.stretch,
          stretch.begin_seconds,
          stretch.end_seconds,
          back(figures.throughput),
          ...LATENCIES.map((key) => back(figures[key])),
          figures.ok,
          figures.failed,
          figures.not_found,
          operation === 'all' ? back(stretch.late) : null,
          back(recovery?.detected_seconds),
          back(recovery?.first_success_seconds),
          back(recovery?.returned_seconds),
          back(recovery?.operations_missing),
        ]),
      ),
  }
}

/** How the system came back: a caption, what is known, and what it means. */
export interface RecoveryFigure {
  caption: string
  shown: Shown
  note: string
}

/** The recovery in figures; none where it is not told. */
export function recoveryFigures(fault: FaultCost): RecoveryFigure[] {
  const found = fault.recovery
  if (!found) return []
  const after = (value: number | null): Shown =>
    value === null
      ? { value: '–', unit: '' }
      : { value: value.toFixed(found.resolution_seconds >= 1 ? 0 : 1), unit: 's' }
  const count = (value: number | null): Shown => ({ value: formatCount(value), unit: '' })
  return [
    {
      caption: 'Noticed after',
      shown: after(found.detected_seconds),
      note: found.detected_seconds === null ? 'nobody noticed' : 'an error, half the throughput, or twice the p99',
    },
    {
      caption: 'Success again after',
      shown: after(found.first_success_seconds),
      note:
        found.without_success_seconds > 0
          ? `none for ${secondsText(found.without_success_seconds)} in all`
          : 'no interval was without one',
    },
    {
      caption: 'p99 back after',
      shown: after(found.returned_seconds),
      note:
        found.returned_seconds === null ? 'it did not return' : `within ${(found.band * 100).toFixed(0)} %, to stay`,
    },
    { caption: 'Failed', shown: count(found.operations_failed), note: 'from the fault on' },
    { caption: 'Late', shown: count(found.operations_late), note: 'twice the old p99 or more' },
    { caption: 'Missing', shown: count(Math.round(found.operations_missing)), note: 'of the old throughput' },
  ]
}
