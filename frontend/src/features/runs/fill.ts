import type { Fill, Soak } from '@/api'
import {
  timeLinesOption,
  type AxisFormat,
  type ChartOption,
  type ChartTable,
  type Palette,
  type TimeLine,
} from '@/charts'
import { formatBytes, formatCount, formatLatency, formatThroughput, type Shown } from '@/ui'

import { LATENCY, THROUGHPUT } from './charts'
import { courseOf, momentOf } from './course'

const told = (shown: Shown): string => `${shown.value}\u202f${shown.unit}`.trim()
const percent = (share: number): string => `${Number((share * 100).toFixed(1))}\u202f%`
/** Beyond, a few minutes were stretched to an hour. */
const MOST = 10
const signed = (share: number): string => (share > MOST ? `over +${MOST * 100}\u202f%` : moved(share))
const moved = (share: number): string => `${share > 0 ? '+' : ''}${Number((share * 100).toFixed(1))}\u202f%`

/** How a figure went from the first tenth of a fill to the last, and how far up and down between. */
export interface FillRow {
  figure: string
  first: string
  last: string
  change: string
  least: string
  middle: string
  greatest: string
  ratio: string
}

type Figures = Fill['figures']
type Write = (value: number) => string
const throughput: Write = (value) => told(formatThroughput(value))
const latency: Write = (value) => told(formatLatency(value))

/** The table of a fill: the first tenth against the last, and the spread over the intervals. */
export function fillRows(figures: Figures): FillRow[] {
  const { first_tenth: first, last_tenth: last } = figures
  const row = (
    figure: string,
    write: Write,
    ends: readonly [number | null | undefined, number | null | undefined],
    spread: Figures['throughput'],
  ): FillRow => {
    const shown = (value: number | null | undefined) => (value === null || value === undefined ? '–' : write(value))
    const [from, to] = ends
    return {
      figure,
      first: shown(from),
      last: shown(to),
      change: from && to ? moved(to / from - 1) : '–',
      least: shown(spread?.least),
      middle: shown(spread?.average ?? spread?.median),
      greatest: shown(spread?.greatest),
      ratio: spread?.peak_to_trough ? `${Number(spread.peak_to_trough.toPrecision(3))}\u202f×` : '–',
    }
  }
  return [
    row('Throughput', throughput, [first?.throughput, last?.throughput], figures.throughput),
    row('p50', latency, [first?.p50_us, last?.p50_us], null),
    row('p99', latency, [first?.p99_us, last?.p99_us], figures.p99_us),
    row('p99.99', latency, [first?.p9999_us, last?.p9999_us], figures.p9999_us),
  ]
}

/** How much is there, in the unit of what is filled. */
export function amountText(figures: Figures, progress: number): string {
  const amount = progress * figures.target
  return figures.fills === 'records' ? `${formatCount(Math.round(amount))} records` : told(formatBytes(amount))
}

export type FillFigure = 'throughput' | 'p99_us' | 'p9999_us'

/** Lines of a fill over progress in percent. */
export function fillLine(
  fill: Fill,
  figure: FillFigure,
  name: string,
  colour: string,
  dash?: TimeLine['dash'],
): TimeLine {
  const until = fill.line.progress.map((share) => share * 100)
  const times = until.map((_, at) => (at === 0 ? fill.figures.begun * 100 : until[at - 1]!))
  return { name, colour, ...(dash ? { dash } : {}), times, until, values: fill.line[figure] }
}

/** A chart over progress, with evictions, compactions and the like as marks. */
export function fillOption(
  fill: Fill,
  lines: readonly TimeLine[],
  format: AxisFormat,
  palette: Palette,
  extra: { logarithmic?: boolean; named?: boolean },
): ChartOption {
  const marks = fill.marks.map((mark) => ({ ...mark, at_seconds: mark.progress * 100 }))
  const along = {
    name: '% filled',
    from: Math.floor(fill.figures.begun * 100),
    to: Math.min(100, Math.max(1, Math.ceil(fill.figures.reached * 100))),
    write: (value: number) => `${Number(value.toFixed(1))}\u202f% (${amountText(fill.figures, value / 100)})`,
  }
  return timeLinesOption({ lines, format, moments: courseOf(marks).map(momentOf), along, ...extra }, palette)
}

/** The figures behind both charts. */
export function fillTable(fill: Fill): ChartTable {
  const { progress, until_seconds, throughput: done, p99_us, p9999_us } = fill.line
  const share = (value: number) => Number((value * 100).toFixed(3))
  return {
    columns: ['% filled', 'second', 'throughput, op/s', 'p99, µs', 'p99.99, µs'],
    rows: progress.map((value, at) => [
      share(value),
      until_seconds[at] ?? null,
      done[at] ?? null,
      p99_us[at] ?? null,
      p9999_us[at] ?? null,
    ]),
  }
}

/** The charts of a fill in a sentence. */
export function fillSentence(figures: Figures): string {
  const change = figures.throughput_change
  const how = change === null ? '' : ` The last tenth did ${moved(change)} against the first.`
  return `From ${percent(figures.begun)} to ${percent(figures.reached)} of ${figures.words}.${how}`
}

/** What a drift is of, in words. */
const DRIFTS: Record<Soak['trends'][number]['figure'], { name: string; write: Write }> = {
  throughput: { name: 'Throughput', write: signed },
  p99_us: { name: 'p99', write: signed },
  memory_bytes: { name: 'Memory', write: (value) => `${value < 0 ? '−' : '+'}${told(formatBytes(Math.abs(value)))}` },
  disk_bytes: { name: 'Disk', write: (value) => `${value < 0 ? '−' : '+'}${told(formatBytes(Math.abs(value)))}` },
  open_files: { name: 'Open files', write: (value) => `${value > 0 ? '+' : ''}${Number(value.toPrecision(3))}` },
}

/** A drift as its row shows it. */
export interface DriftRow {
  figure: string
  tone: 'good' | 'caution' | 'bad' | 'neutral'
  verdict: string
  trend: string
  interval: string
}

/** The drifts of a soak: what clearly moved, and what a system holds on to more and more. */
export function driftRows(soak: Soak): DriftRow[] {
  return soak.trends.map((trend) => {
    const { name, write } = DRIFTS[trend.figure]
    const { per_hour, low, high } = trend
    if (per_hour === null || low === null || high === null)
      return { figure: name, tone: 'neutral', verdict: 'too short', trend: '–', interval: trend.sentence }
    const way = trend.leak ? 'grows' : per_hour > 0 ? 'rises' : 'falls'
    return {
      figure: name,
      tone: trend.leak ? 'bad' : trend.clear ? 'caution' : 'good',
      verdict: trend.clear ? way : 'no trend',
      trend: `${write(per_hour)} an hour`,
      interval: `${write(low)} to ${write(high)}`,
    }
  })
}

export { LATENCY, THROUGHPUT }
