import type { Fill, RunSeries } from '@/api'
import {
  markIsHollow,
  shadeFor,
  timeLinesOption,
  type AxisFormat,
  type ChartOption,
  type ChartTable,
  type Moment,
  type Palette,
  type TimeLine,
} from '@/charts'

import { BYTES, LATENCY, PERCENT, THROUGHPUT } from './charts'
import { courseOf, momentOf } from './course'

/** A run that can be laid over others. */
export interface RunChoice {
  run: string
  /** Of its side. */
  key: string
  name: string
  colour: string
  mark: string
  repeat: number
}

/** A run with its course; `fill` where it filled something. */
export interface RunCourse extends RunChoice {
  series: RunSeries
  fill: Fill | null
}

/** More lines over each other are told apart by nobody. */
export const MOST_RUNS = 12
const DASHES = ['solid', 'dashed', 'dotted'] as const

export type LatencyName = 'p50_us' | 'p99_us' | 'p999_us' | 'p9999_us'
/** What is drawn of several runs. */
export type BesideFigure = 'throughput' | LatencyName | 'cpu' | 'memory' | 'disk'
export type BesideAxis = 'time' | 'progress'

export const FORMATS: Record<BesideFigure, AxisFormat> = {
  throughput: THROUGHPUT,
  p50_us: LATENCY,
  p99_us: LATENCY,
  p999_us: LATENCY,
  p9999_us: LATENCY,
  cpu: PERCENT,
  memory: BYTES,
  disk: BYTES,
}
const UNITS: Record<BesideFigure, string> = {
  throughput: 'op/s',
  p50_us: 'µs',
  p99_us: 'µs',
  p999_us: 'µs',
  p9999_us: 'µs',
  cpu: '% of a core',
  memory: 'bytes',
  disk: 'bytes',
}

/** The runs that are laid over each other: those of the address, else the first of each side. */
export function chosenRuns(choices: readonly RunChoice[], wanted: readonly string[]): RunChoice[] {
  const named = choices.filter((one) => wanted.includes(one.run))
  const first = choices.filter((one, at) => choices.findIndex(({ key }) => key === one.key) === at)
  return (named.length ? named : first).slice(0, MOST_RUNS)
}

/** When a run's measured phase was, in seconds from its first interval; null where it never measured. */
function measuredOf(series: RunSeries): readonly [number, number] | null {
  const spans = series.phases.filter((phase) => phase.kind === 'measure')
  if (!spans.length) return null
  return [Math.min(...spans.map((one) => one.start_seconds)), Math.max(...spans.map((one) => one.end_seconds))]
}

/** How far a fill was at so many seconds of the measured phase, in percent; between its points in proportion. */
export function progressAt(fill: Fill, seconds: number): number {
  const { progress, until_seconds: until } = fill.line
  let [before, from] = [0, fill.figures.begun]
  for (const [at, end] of until.entries()) {
    const share = progress[at] ?? from
    if (seconds <= end) return 100 * (from + ((share - from) * Math.max(0, seconds - before)) / (end - before || 1))
    ;[before, from] = [end, share]
  }
  return 100 * from
}

/** Where an instant stands along the bottom: from the measured phase's begin, or by what was filled. */
function placeOf(run: RunCourse, axis: BesideAxis, seconds: number): number {
  return axis === 'progress' && run.fill ? progressAt(run.fill, seconds) : seconds
}

interface Values {
  t: readonly number[]
  until?: readonly number[]
  values: readonly (number | null)[]
}

function valuesOf(series: RunSeries, figure: BesideFigure): Values | null {
  const { resources } = series
  if (figure === 'cpu') return { t: resources.t, values: resources.cpu_percent }
  if (figure === 'memory') return { t: resources.t, values: resources.resident_bytes }
  if (figure === 'disk') return { t: resources.t, values: resources.disk_bytes }
  const all = series.operations['all']
  return all ? { t: all.t, until: all.until, values: all[figure] } : null
}

const lineName = (run: RunCourse, runs: readonly RunCourse[]): string =>
  runs.filter((one) => one.key === run.key).length > 1 ? `${run.name}, repeat ${run.repeat}` : run.name

/** One figure of several runs over one axis: the measured phase of each, from its begin. */
export function besideLines(runs: readonly RunCourse[], figure: BesideFigure, axis: BesideAxis): TimeLine[] {
  return runs.flatMap((run) => {
    const span = measuredOf(run.series)
    const found = valuesOf(run.series, figure)
    if (!span || !found || (axis === 'progress' && !run.fill)) return []
    const kept = found.t.flatMap((time, at) => (time >= span[0] && time < span[1] ? [at] : []))
    if (!kept.some((at) => (found.values[at] ?? null) !== null)) return []
    const placed = (seconds: number) => placeOf(run, axis, Math.min(seconds, span[1]) - span[0])
    // Of two targets of one system, whose colour is one, the second is dashed as its mark is hollow.
    const turn = runs.filter((one) => one.key === run.key).indexOf(run) + (markIsHollow(run.mark) ? 1 : 0)
    const dash = DASHES[turn % DASHES.length]
    return [
      {
        name: lineName(run, runs),
        colour: run.colour,
        ...(dash ? { dash } : {}),
        times: kept.map((at) => placed(found.t[at] ?? 0)),
        ...(found.until ? { until: kept.map((at) => placed(found.until?.[at] ?? 0)) } : {}),
        values: kept.map((at) => found.values[at] ?? null),
      },
    ]
  })
}

/** What happened in any of the runs while it was measured, named by its side. */
export function besideMoments(runs: readonly RunCourse[], axis: BesideAxis): Moment[] {
  return runs.flatMap((run) => {
    const span = measuredOf(run.series)
    if (!span || (axis === 'progress' && !run.fill)) return []
    const placed = (seconds: number) => placeOf(run, axis, Math.min(seconds, span[1]) - span[0])
    return courseOf(run.series.marks)
      .filter((row) => row.at_seconds >= span[0] && row.at_seconds <= span[1])
      .map(momentOf)
      .map((moment) => ({
        ...moment,
        label: `${run.name}: ${moment.label}`,
        at_seconds: placed(moment.at_seconds),
        ...(moment.until_seconds === undefined ? {} : { until_seconds: placed(moment.until_seconds) }),
      }))
  })
}

/** A chart of one figure of several runs. */
export function besideOption(
  runs: readonly RunCourse[],
  figure: BesideFigure,
  axis: BesideAxis,
  palette: Palette,
): ChartOption {
  const lines = besideLines(runs, figure, axis).map((line) => ({ ...line, colour: shadeFor(line.colour, palette) }))
  const fills = runs.flatMap((run) => run.fill ?? [])
  const along =
    axis === 'progress'
      ? {
          name: '% filled',
          from: Math.floor(100 * Math.min(1, ...fills.map((one) => one.figures.begun))),
          to: Math.min(100, Math.max(1, Math.ceil(100 * Math.max(0, ...fills.map((one) => one.figures.reached))))),
          write: (value: number) => `${Number(value.toFixed(1))}\u202f% filled`,
        }
      : undefined
  return timeLinesOption(
    {
      lines,
      format: FORMATS[figure],
      moments: besideMoments(runs, axis),
      named: figure === 'throughput' && runs.length < MOST_NAMED,
      logarithmic: figure.endsWith('_us'),
      together: true,
      ...(along ? { along } : {}),
    },
    palette,
  )
}
/** With more runs the names of marks lie over each other; the list under the charts has them all. */
const MOST_NAMED = 4

/** The same figures, one row a point. */
export function besideTable(runs: readonly RunCourse[], figure: BesideFigure, axis: BesideAxis): ChartTable {
  const digits = (value: number) => Number(value.toPrecision(6))
  return {
    columns: ['run', axis === 'progress' ? '% filled' : 'seconds measured', UNITS[figure]],
    rows: besideLines(runs, figure, axis).flatMap((line) =>
      line.times.flatMap((time, at) => {
        const value = line.values[at] ?? null
        return value === null ? [] : [[line.name, digits(line.until?.[at] ?? time), digits(value)]]
      }),
    ),
  }
}

/** A chart in a sentence: between which values each run lay. */
export function besideSentence(runs: readonly RunCourse[], what: string, figure: BesideFigure, axis: BesideAxis) {
  const { write } = FORMATS[figure]
  const told = besideLines(runs, figure, axis).map((line) => {
    const known = line.values.filter((value): value is number => value !== null)
    return `${line.name}: ${write(Math.min(...known))} to ${write(Math.max(...known))}`
  })
  return `${what} of ${runs.length} runs over ${axis === 'progress' ? 'progress' : 'time'}. ${told.join('; ')}.`
}

/** Marks of all runs as a table, in order of the axis. */
export function momentsTable(runs: readonly RunCourse[], axis: BesideAxis): ChartTable {
  return {
    columns: [axis === 'progress' ? '% filled' : 'seconds measured', 'what'],
    rows: besideMoments(runs, axis)
      .sort((a, b) => a.at_seconds - b.at_seconds)
      .map((moment) => [Number(moment.at_seconds.toFixed(2)), moment.label]),
  }
}
