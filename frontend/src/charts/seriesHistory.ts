import { format as text } from 'echarts/core'

import { spanKind, spanWord } from '@/ui'

import { bandSeries } from './bands'
import type { ChartOption } from './echarts'
import { bottomAxis, frame, labelStyle, ORIGIN, valueAxis } from './frame'
import {
  courseOf,
  type HistoryPoint,
  type HistoryLine,
  type HistoryGap,
  type HistoryNote,
  type HistoryInput,
  type Places,
} from './history'
import { backdropOf } from './historyMarks'
import { publishedLevels } from './historyPublished'
import { bandPieces, breaksOf, joinedOf } from './historyJoined'
import type { Palette } from './palette'
import { AXIS_NAMES, slotLabels, slotsOf } from './slots'

/** Campaigns of pull requests and other branches; the legend shows and hides them. */
const APART = 'pull requests, branches'
/** Where it is told what of a machine changed: above gaps, in shares of the plot's height. */
const ABOVE_GAPS = 0.1
/** Beyond so many marks their words would lie on each other, and stand in the tooltip and the table alone. */
const MOST_WORDS = 3
/** From one of them to the next above it. */
const WORDS_PX = 14
const BAND = 'what this machine cannot tell'
/** Where gaps are marked: just above the axis, in shares of the plot's height. */
const ABOVE_AXIS = 0.035
/** A span of values that a straight axis would flatten. */
const TWO_DECADES = 100

/** The least that an axis shows on either side of what lies in the middle: with less, steps of it are written alike. */
const LEAST_EITHER_SIDE = 0.04

/** A round end of an axis, where what is drawn lies so near together; null: as the library finds it. */
function narrowEnd(drawn: { min: number; max: number }, round: (value: number) => number): number | null {
  const middle = (drawn.min + drawn.max) / 2
  const least = Math.abs(middle) * LEAST_EITHER_SIDE
  if (!(least > 0) || (drawn.max - drawn.min) / 2 >= least) return null
  const step = 10 ** Math.floor(Math.log10(Math.abs(middle))) / 20
  return round((middle + (round === Math.ceil ? least : -least)) / step) * step
}

const NOT_NARROW = {
  min: (drawn: { min: number; max: number }) => narrowEnd(drawn, Math.floor),
  max: (drawn: { min: number; max: number }) => narrowEnd(drawn, Math.ceil),
}

/** A point as the library has it; alone, or with a look of its own. */
type Drawn = readonly [number, number, number] | { value: readonly [number, number, number] }

/** Which of what is told stands at a point. */
function placeOf(data: Drawn): number {
  return 'value' in data ? data.value[2] : data[2]
}

/** The places of all points and gaps of a history. */
export function placesOf(input: Pick<HistoryInput, 'lines' | 'gaps' | 'along'>): Places {
  const points = input.lines.flatMap((line) => line.points)
  const slots = slotsOf([
    ...points.map((point) => ({
      at: point.at,
      campaign: point.label,
      version: point.version ?? null,
      commit: point.commit ?? null,
    })),
    ...(input.gaps ?? []).map((gap) => ({ at: gap.at, campaign: gap.label, version: null, commit: null })),
  ])
  if (input.along === 'date') return { of: Date.parse, slots, half: 0 }
  const index = new Map(slots.map((slot, at) => [slot.at, at]))
  // What lies between two campaigns (a note) stands between them.
  const between = (at: string): number => slots.filter((slot) => Date.parse(slot.at) < Date.parse(at)).length - 0.5
  return { of: (at) => index.get(at) ?? between(at), slots, half: 0.5 }
}

/**
 * Series over their campaigns: medians joined where nothing parts them, repeats as faint dots; steps
 * marked where they are, drifts drawn from where they began to where they ended. No line and no band
 * leads through a step, a change of noise, a gap or to another machine.
 */
export function historyOption(input: HistoryInput, palette: Palette): ChartOption {
  const places = placesOf(input)
  const told: string[] = []
  const tell = (words: string): number => told.push(words) - 1
  const levels = publishedLevels(input, places, tell)
  const values = [
    ...input.lines.flatMap((line) => line.points.map((point) => point.value)),
    ...levels.map((level) => level.data[0]![1]),
  ]
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const logarithmic = least > 0 && most / least > TWO_DECADES
  const [main] = input.lines
  const bands = input.bands ?? []
  const apart = input.lines.flatMap((line) =>
    line.points.filter((point) => point.apart).map((point) => ({ line, point })),
  )
  const stretches = main ? joinedOf(main, breaksOf(input)) : []
  return frame(palette, {
    grid: { left: ORIGIN, right: 16, top: 52, bottom: 48, outerBoundsMode: 'none' },
    tooltip: {
      ...frame(palette).tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => told[placeOf((parameters as { data: Drawn }).data)] ?? '',
    },
    xAxis: xAxis(input, places, palette),
    yAxis: [
      valueAxis(palette, input.format, { scale: true, ...(logarithmic ? { type: 'log' } : NOT_NARROW) }),
      // Shares of the plot's height, for what has no value and must not look as if it had one.
      { type: 'value', show: false, min: 0, max: 1 },
    ],
    dataZoom: [
      {
        type: 'inside',
        filterMode: 'none',
        zoomOnMouseWheel: 'ctrl',
        ...(input.zoom ? { start: input.zoom[0], end: input.zoom[1] } : {}),
      },
    ],
    legend: {
      ...frame(palette).legend,
      data: [
        ...input.lines.map((line) => line.name),
        'repeats',
        ...(bands.length ? [BAND] : []),
        ...(apart.length ? [APART] : []),
        ...levels.map((level) => level.name),
      ],
    },
    series: [
      ...bands.flatMap((band) =>
        bandPieces(band, stretches).map((piece) => {
          const room = places.half * 0.8
          const [from, to] = [places.of(piece.from) - room, places.of(piece.to) + room]
          const ends = [from, to].map((x) => [x, band.low, band.high] as const)
          return bandSeries(BAND, palette.ink3, ends, 0.22)
        }),
      ),
      {
        type: 'scatter',
        name: 'repeats',
        color: palette.ruleStrong,
        symbolSize: 4,
        silent: true,
        data: courseOf(main).flatMap((point) => point.repeats.map((repeat) => [places.of(point.at), repeat])),
      },
      ...levels,
      ...input.lines.map((line, at) => ({
        ...pathOf(line, at === 0 ? breaksOf(input) : (line.breaks ?? []), input, places, tell),
        ...(at === 0 ? backdropOf(input, places, stretches, palette) : {}),
      })),
      {
        type: 'scatter',
        name: APART,
        color: palette.ink3,
        symbol: 'emptyCircle',
        symbolSize: 8,
        z: 3,
        data: apart.map(({ line, point }) => [
          places.of(point.at),
          point.value,
          tell(pointInWords(line.name, point, input)),
        ]),
      },
      {
        ...alteredSigns(main, places, palette, tell),
        yAxisIndex: 1,
      },
      {
        ...signs(
          'gaps',
          '×',
          palette.caution,
          (input.gaps ?? []).map((gap) => [places.of(gap.at), ABOVE_AXIS, tell(gapInWords(gap))]),
        ),
        yAxisIndex: 1,
      },
      signs(
        'notes',
        '⚑',
        palette.accent,
        (input.notes ?? []).map((note) => noteAt(note, main, places, most, tell)),
      ),
    ],
  } as ChartOption)
}

function xAxis(input: HistoryInput, places: Places, palette: Palette) {
  const name = AXIS_NAMES[input.along]
  if (input.along === 'date') return bottomAxis(palette, name, { type: 'time' })
  const labels = slotLabels(places.slots, input.along)
  const customValues = [...labels.keys()]
  return bottomAxis(palette, name, {
    type: 'value',
    min: -0.5,
    max: Math.max(0.5, places.slots.length - 0.5),
    axisTick: { lineStyle: { color: palette.ruleStrong }, customValues },
    axisLabel: {
      ...labelStyle(palette),
      customValues,
      hideOverlap: true,
      formatter: (value: number) => labels.get(value) ?? '',
    },
  })
}

/** A line's points, joined stretch by stretch. */
function pathOf(
  line: HistoryLine,
  breaks: readonly string[],
  input: HistoryInput,
  places: Places,
  tell: (words: string) => number,
) {
  const data = joinedOf(line, breaks).flatMap((stretch, index) => {
    const points = stretch.map((point): [number, number | null, number] => [
      places.of(point.at),
      point.value,
      tell(pointInWords(line.name, point, input)),
    ])
    // A point without a value, which nothing is joined to.
    const parting: [number, null, number][] = index > 0 ? [[points[0]?.[0] ?? 0, null, -1]] : []
    return [...parting, ...points]
  })
  return {
    type: 'line' as const,
    name: line.name,
    color: line.colour,
    symbol: 'circle',
    symbolSize: input.lines.length > 1 || line.points.length > 80 ? 6 : 8,
    lineStyle: { width: 1.8 },
    connectNulls: false,
    data,
  }
}

function signs(name: string, sign: string, colour: string, data: (readonly [number, number, number])[]) {
  return {
    type: 'scatter' as const,
    name,
    color: colour,
    symbolSize: 16,
    itemStyle: { opacity: 0 },
    // Of its own, or it would be as invisible as the symbol that it stands for.
    label: { show: true, opacity: 1, formatter: sign, color: colour, fontSize: 14, fontWeight: 'bold' as const },
    z: 5,
    data,
  }
}

/** Where something of a machine changed that makes no other kind of it, in words while they are few. */
function alteredSigns(
  line: HistoryLine | undefined,
  places: Places,
  palette: Palette,
  tell: (words: string) => number,
) {
  const altered = courseOf(line).filter((point) => point.altered?.length)
  const last = Math.max(...places.slots.map((slot) => places.of(slot.at)))
  const first = Math.min(...places.slots.map((slot) => places.of(slot.at)))
  return {
    ...signs('machine', '◆', palette.ink3, []),
    data: altered.map((point, row) => {
      const x = places.of(point.at) - places.half
      const words = (point.altered ?? []).join(', ')
      const inLeftHalf = x - first < (last - first) / 2
      const align = inLeftHalf ? ('left' as const) : ('right' as const)
      const label = inLeftHalf ? `◆ ${words}` : `${words} ◆`
      const shown = altered.length <= MOST_WORDS
      return {
        value: [x, ABOVE_GAPS, tell(`${text.encodeHTML(point.label)}<br>${text.encodeHTML(words)}`)],
        // Each a line higher than the one before: those that are near each other would run into one.
        label: {
          formatter: shown ? label : '◆',
          fontSize: 11,
          ...(shown ? { align, offset: [0, -row * WORDS_PX] } : {}),
        },
      }
    }),
  }
}

function noteAt(
  note: HistoryNote,
  main: HistoryLine | undefined,
  places: Places,
  most: number,
  tell: (words: string) => number,
): [number, number, number] {
  const point = main?.points.find((one) => one.at === note.at)
  return [places.of(note.at), point ? (point.high ?? point.value) : most, tell(text.encodeHTML(note.text))]
}

function pointInWords(name: string, point: HistoryPoint, input: HistoryInput): string {
  const interval =
    point.low !== null && point.high !== null && point.repeats.length > 1
      ? `<br>${spanWord({ kind: spanKind(point.repeats.length), repeats: point.repeats.length })} ` +
        `${input.format.write(point.low)} to ${input.format.write(point.high)}`
      : ''
  const version = point.version ? `<br>version ${text.encodeHTML(point.version)}` : ''
  const origin = point.origin ? `<br>${text.encodeHTML(point.origin)}` : ''
  const altered = (point.altered ?? []).map((words) => `<br>${text.encodeHTML(words)}`).join('')
  const beside = point.apart ? '<br>apart from the main line' : ''
  const whose = input.lines.length > 1 ? `${text.encodeHTML(name)}<br>` : ''
  const date = new Date(point.at).toLocaleString('en-GB')
  const head = `${whose}<b>${text.encodeHTML(point.label)}</b>, ${date}`
  return `${head}<br>${input.format.write(point.value)}${interval}${version}${altered}${origin}${beside}`
}

function gapInWords(gap: HistoryGap): string {
  return `${new Date(gap.at).toLocaleString('en-GB')}<br>${text.encodeHTML(gap.reason)}`
}
