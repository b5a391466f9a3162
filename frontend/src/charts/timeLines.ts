import { format as text } from 'echarts/core'

import { bandSeries, type BandPoint } from './bands'
import type { ChartOption } from './echarts'
import { bottomAxis, frame, labelStyle, ORIGIN, valueAxis, type AxisFormat } from './frame'
import type { Palette } from './palette'
import { scaleOf } from './peaks'
import { timeUnit, writeTime } from './time'

/** One line over time; `values` stands beside `times`, null where nothing was measured. */
export interface TimeLine {
  name: string
  colour: string
  dash?: 'solid' | 'dashed' | 'dotted'
  times: readonly number[]
  values: readonly (number | null)[]
  /** Where each point's time ends; it is drawn in the middle. Absent: at its begin. */
  until?: readonly number[]
  /** The extremes of what each point was merged from, as a band behind the line. */
  low?: readonly (number | null)[]
  high?: readonly (number | null)[]
}

/** A phase of a run, in seconds from its first interval. */
export interface PhaseSpan {
  kind: string
  start_seconds: number
  end_seconds: number
}

/** A stretch of one level, in seconds from the first interval. */
export interface Stretch {
  start_seconds: number
  end_seconds: number
  /** What the stretch is called where its figures are told. */
  label: string
  /** Its level on the axis; absent where the axis shows something else. */
  level?: number
}

/** What a mark is: done on purpose, failed to be done, or the system's own doing. */
export type MomentTone = 'fault' | 'failed' | 'event'

/** Something that happened, in seconds from the first interval. */
export interface Moment {
  at_seconds: number
  label: string
  tone: MomentTone
  /** Until when it lasted; absent for what took no time, or has not ended. */
  until_seconds?: number
}

export interface TimeLinesInput {
  lines: readonly TimeLine[]
  format: AxisFormat
  phases?: readonly PhaseSpan[]
  moments?: readonly Moment[]
  /** Stretches of different level, shaded in turn. */
  stretches?: readonly Stretch[]
  /** Whether the marks say what they are; charts below the first need not repeat it. */
  named?: boolean
  logarithmic?: boolean
  /** Whether the cursor tells of every line what it was nearest to it: lines of several runs share no instants. */
  together?: boolean
  /** What goes along the bottom in the place of time: values of `times` and `until` are of it. */
  along?: AlongAxis
}

/** An axis along the bottom that is not time. */
export interface AlongAxis {
  name: string
  from: number
  to: number
  write: (value: number) => string
}

/** What stands along the bottom: how it is told, and how many of the lines' values one of it is. */
interface Bottom {
  name: string
  seconds: number
  write: (value: number) => string
}

function bottomOf(input: TimeLinesInput, span: number): Bottom {
  if (input.along) return { name: input.along.name, seconds: 1, write: input.along.write }
  const unit = timeUnit(span)
  return { name: unit.name, seconds: unit.seconds, write: (value) => writeTime(value, unit, true) }
}

/**
 * Lines over a run's time, with its phases shaded and its events marked.
 *
 * @returns an option for a chart of its own; charts of one group share their zoom.
 */
export function timeLinesOption(input: TimeLinesInput, palette: Palette): ChartOption {
  const { format } = input
  const span = spanOf(input)
  const unit = bottomOf(input, span)
  const scale = scaleOf(input)
  const lines = input.lines.map((line) => ({ line, points: pointsOf(line, input.logarithmic) }))
  const bands = lines.flatMap(({ line }) =>
    piecesOf(line, unit, input.logarithmic).map((piece) => bandSeries(line.name, line.colour, piece, 0.2)),
  )
  return frame(palette, {
    grid: { left: ORIGIN, right: 16, top: 48, bottom: 44, outerBoundsMode: 'none' },
    legend: { ...frame(palette).legend, data: input.lines.map((line) => line.name) },
    tooltip: {
      ...frame(palette).tooltip,
      formatter: (parameters: unknown) => inWords(parameters as AtCursor[], input, unit),
    },
    xAxis: bottomAxis(palette, unit.name, {
      type: 'value',
      min: input.along?.from ?? 0,
      max: span / unit.seconds || 'dataMax',
      minInterval: 0.1 / unit.seconds,
      axisLabel: {
        ...labelStyle(palette),
        showMaxLabel: false,
        formatter: (value: number) => String(Number(value.toFixed(2))),
      },
    }),
    yAxis: input.logarithmic
      ? valueAxis(palette, format, { type: 'log', minorSplitLine: { show: false } })
      : valueAxis(palette, format, { min: 0, ...scale.axis }),
    dataZoom: [{ type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl' }],
    series: [
      ...lines.map(({ line, points }, index) => ({
        type: 'line' as const,
        name: line.name,
        color: line.colour,
        showSymbol: line.times.length < 40,
        symbol: 'circle',
        symbolSize: 4,
        lineStyle: { width: 1.6, type: line.dash ?? 'solid' },
        // Highlighting redraws whole lines at each move of the cursor.
        emphasis: { disabled: true },
        data: points.map(([at, value]) => [at / unit.seconds, value]),
        ...(index === 0 ? backdrop(input, span, unit, scale.names, palette) : {}),
      })),
      ...bands,
    ],
  })
}

interface AtCursor {
  seriesIndex: number
  dataIndex: number
  marker: string
}

/** What the cursor tells: each line's value, and between which its intervals lay. */
function inWords(items: readonly AtCursor[], input: TimeLinesInput, unit: Bottom): string {
  const told = input.together ? beside(items, input) : items
  const rows = told.flatMap(({ seriesIndex, dataIndex, marker }) => {
    const line = input.lines[seriesIndex]
    const at = line ? drawnAt(line)[dataIndex] : undefined
    if (!line || at === undefined) return []
    const value = line.values[at] ?? null
    const [low, high] = [line.low?.[at] ?? null, line.high?.[at] ?? null]
    const between = low === null || high === null ? '' : ` (${input.format.write(low)} to ${input.format.write(high)})`
    return [{ line, at, row: `${marker}${text.encodeHTML(line.name)} <b>${write(value, input)}</b>${between}` }]
  })
  const [first] = rows
  if (!first) return ''
  const from = first.line.times[first.at] ?? 0
  const to = first.line.until?.[first.at]
  const when = unit.write(from)
  const wide = to !== undefined && to - from > 1.5
  return [wide ? `${when} to ${unit.write(to)}` : when, ...rows.map(({ row }) => row)].join('<br>')
}

/** Of every line the point that is nearest to the cursor's first one, where there is one near. */
function beside(items: readonly AtCursor[], input: TimeLinesInput): AtCursor[] {
  const [first] = items
  const line = first && input.lines[first.seriesIndex]
  const at = line && drawnAt(line)[first.dataIndex]
  if (!line || at === undefined) return []
  const here = middle(line, at)
  return input.lines.flatMap((one, seriesIndex) => {
    const away = (place: number | undefined) => (place === undefined ? Infinity : Math.abs(middle(one, place) - here))
    const drawn = drawnAt(one)
    const dataIndex = drawn.reduce<number>((best, place, index) => (away(place) < away(drawn[best]) ? index : best), 0)
    const step = (middle(one, one.times.length - 1) - middle(one, 0)) / Math.max(1, one.times.length - 1)
    const sign = text.getTooltipMarker(one.colour)
    const marker = typeof sign === 'string' ? sign : ''
    return away(drawn[dataIndex]) <= Math.max(step, 1e-9) ? [{ seriesIndex, dataIndex, marker }] : []
  })
}

function write(value: number | null, input: TimeLinesInput): string {
  return value === null ? '–' : input.format.write(value)
}

/** Until when the chart goes, in seconds: all charts of a run alike. */
function spanOf(input: TimeLinesInput): number {
  if (input.along) return input.along.to
  const phases = (input.phases ?? []).map((phase) => phase.end_seconds)
  if (phases.length) return Math.max(...phases)
  return input.lines.reduce((most, line) => Math.max(most, line.until?.at(-1) ?? 0, line.times.at(-1) ?? 0), 0)
}

/** A gap is where the next point begins later than this share of a point after the one before. */
const GAP = 0.5

/** Indices of a line's values as they are drawn; undefined where a gap breaks the line. */
function drawnAt(line: TimeLine): (number | undefined)[] {
  const { until } = line
  if (!until) return line.times.map((_, at) => at)
  return line.times.flatMap((time, at) => {
    const end = until[at - 1]
    const broken = end !== undefined && time - end > GAP * Math.max(end - (line.times[at - 1] ?? end), 0.1)
    return broken ? [undefined, at] : [at]
  })
}

function pointsOf(line: TimeLine, logarithmic: boolean | undefined): [number, number | null][] {
  const drawn = drawnAt(line)
  return drawn.map((at, place) =>
    at === undefined
      ? [line.until?.[drawn[place - 1] ?? 0] ?? 0, null]
      : [middle(line, at), positive(line.values[at] ?? null, logarithmic)],
  )
}

function middle(line: TimeLine, at: number): number {
  const from = line.times[at] ?? 0
  return line.until ? (from + (line.until[at] ?? from)) / 2 : from
}

/** The extremes of a line as bands, broken where there are none. */
function piecesOf(line: TimeLine, unit: Bottom, logarithmic: boolean | undefined): BandPoint[][] {
  const pieces: BandPoint[][] = []
  let open: BandPoint[] | null = null
  for (const at of drawnAt(line)) {
    const low = at === undefined ? null : positive(line.low?.[at] ?? null, logarithmic)
    const high = at === undefined ? null : positive(line.high?.[at] ?? null, logarithmic)
    if (at === undefined || low === null || high === null) {
      open = null
      continue
    }
    if (!open) pieces.push((open = []))
    open.push([middle(line, at) / unit.seconds, low, high])
  }
  return pieces.filter((piece) => piece.length > 1)
}

function positive(value: number | null, logarithmic: boolean | undefined): number | null {
  return logarithmic && value !== null && value <= 0 ? null : value
}

/** The line of each kind of mark; the dash tells them apart without the colour. */
function strokeOf(tone: MomentTone, palette: Palette) {
  const strokes = {
    fault: { color: palette.bad, type: 'solid' as const, width: 1.4 },
    failed: { color: palette.caution, type: 'dotted' as const, width: 1.8 },
    event: { color: palette.info, type: 'dashed' as const, width: 1 },
  }
  return strokes[tone]
}

/** A stretch's level, from its begin to its end. */
function levelOf(stretch: Stretch, level: number, unit: Bottom, palette: Palette) {
  const lineStyle = { color: palette.accent, type: 'solid' as const, width: 2 }
  const ends: [object, object] = [
    { coord: [stretch.start_seconds / unit.seconds, level], lineStyle, label: { show: false } },
    { coord: [stretch.end_seconds / unit.seconds, level] },
  ]
  return ends
}

/** A shaded stretch of phases that were cut, and its name. */
interface Cut {
  name: string
  from: number
  to: number
  narrow: boolean
}
/** How far above the plot the names of stretches stand, px. */
const ABOVE_PLOT = 3

/** Phases below this share of the chart have no room for a name of their own. */
const NARROW = 0.08

/** Cut phases; neighbours without room for their names share one that begins where they do. */
function cutsOf(input: TimeLinesInput, span: number, names: readonly string[]): Cut[] {
  const cuts: Cut[] = []
  for (const [at, phase] of (input.phases ?? []).entries()) {
    if (phase.kind === 'measure') continue
    const narrow = phase.end_seconds - phase.start_seconds < NARROW * span
    const name = names[at] ?? phase.kind
    const before = cuts.at(-1)
    if (before && (before.narrow || narrow) && phase.start_seconds - before.to < NARROW * span) {
      before.name = `${before.name}, ${name}`
      before.to = phase.end_seconds
      before.narrow = true
    } else cuts.push({ name, from: phase.start_seconds, to: phase.end_seconds, narrow })
  }
  return cuts
}

function backdrop(input: TimeLinesInput, span: number, unit: Bottom, names: readonly string[], palette: Palette) {
  const moments = input.moments ?? []
  const stretches = input.stretches ?? []
  const at = (seconds: number): number => seconds / unit.seconds
  return {
    markArea: {
      silent: true,
      itemStyle: { color: palette.rule, opacity: 0.35 },
      // Above the plot: within it lines would cross them out.
      label: { color: palette.ink3, fontSize: 10, position: 'top' as const, distance: ABOVE_PLOT },
      data: [
        ...cutsOf(input, span, names).map((cut) => [
          {
            name: cut.name,
            xAxis: at(cut.from),
            ...(cut.narrow ? { label: { position: [0, -ABOVE_PLOT], verticalAlign: 'bottom' as const } } : {}),
          },
          { xAxis: at(cut.to) },
        ]),
        ...stretches.map((stretch, index) => [
          {
            name: stretch.label,
            xAxis: at(stretch.start_seconds),
            itemStyle: { color: palette.accent, opacity: index % 2 ? 0.16 : 0.05 },
          },
          { xAxis: at(stretch.end_seconds) },
        ]),
        ...moments.flatMap((moment) =>
          moment.until_seconds === undefined
            ? []
            : [
                [
                  {
                    xAxis: at(moment.at_seconds),
                    itemStyle: { color: strokeOf(moment.tone, palette).color, opacity: 0.12 },
                  },
                  { xAxis: at(moment.until_seconds) },
                ],
              ],
        ),
      ] as [object, object][],
    },
    markLine: {
      silent: true,
      symbol: 'none',
      label: {
        show: input.named ?? true,
        fontSize: 10,
        fontFamily: palette.fontText,
        formatter: '{b}',
        position: 'insideEndTop' as const,
        // Along their lines, legible over those of the plot.
        backgroundColor: palette.sheet,
        padding: [1, 3],
      },
      data: [
        ...moments.map((moment) => {
          const lineStyle = strokeOf(moment.tone, palette)
          return { name: moment.label, xAxis: at(moment.at_seconds), lineStyle, label: { color: lineStyle.color } }
        }),
        ...stretches.flatMap((stretch) =>
          stretch.level === undefined ? [] : [levelOf(stretch, stretch.level, unit, palette)],
        ),
      ],
    },
  }
}
