import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemReturn } from 'echarts'
import { format as text } from 'echarts/core'

import { partsOf } from './customParts'
import type { ChartOption } from './echarts'
import { frame, labelStyle } from './frame'
import { markShape, markIsHollow } from './marks'
import { alongLine, placeLabels, spread, type Box, type Label, type Placed } from './placement'
import { shadeFor, type Palette } from './palette'
import type { Scale } from './scales'
import { seriesId } from './seriesIds'

/** A figure over another one, with the range that its repeats span either way. */
export interface CurvePoint {
  x: number
  y: number
  xRange: readonly [number, number] | null
  yRange: readonly [number, number] | null
  /** A few characters beside the mark: the clients. */
  label: string
  /** Ringed: something happens here, for example the knee. */
  ringed: boolean
  /** Lines of the tooltip. */
  tip: readonly string[]
}

/** One side: its points in order. A side may have several lines, of loads that differ in more than size. */
export interface CurveSide {
  /** Tells the side to those that want it highlighted. */
  key: string
  name: string
  colour: string
  mark: string
  points: readonly CurvePoint[]
  /** Others published it: hollow, dotted and in broken outlines, whatever its mark. */
  isPublished?: boolean
}

export interface CurvesInput {
  sides: readonly CurveSide[]
  x: Scale
  y: Scale
  /** What x counts; y's labels carry their units. */
  xName: string
  /** A level line across: no more than this on y. */
  limit?: number | null
  /** Lines that were fitted to a side's points, drawn thin and dashed. */
  fits?: readonly CurveFit[]
}

/** A fitted line, as values of x and y. */
export interface CurveFit {
  colour: string
  points: readonly (readonly [x: number, y: number])[]
}

export interface Size {
  width: number
  height: number
}

/** The plot inside its chart, in pixels: fixed, so that charts beside and above each other align. */
export const PLOT = { left: 66, right: 20, top: 16, bottom: 40 } as const
const MARK = 5.5
const COUNT = { size: 10.5, character: 6, height: 13 }
const NAME = { size: 12, character: 6.9, height: 16 }
/** Left free at the right edge, px: a name of wide letters is wider than is reckoned. */
const EDGE = 12
/** From so many lines on, names stand in a column beside the plot, where there is room for one. */
const MANY = 5
const COLUMN = { gap: 14, most: 170, plot: 340 }

const nameWidth = (side: CurveSide) => (side.name.length + 1.5) * NAME.character

/** The room for names right of the plot; 0 where they stand at their lines. */
function columnOf(sides: readonly CurveSide[], size: Size): number {
  const named = sides.filter((side) => side.points.length)
  const wide = Math.min(COLUMN.most, Math.max(0, ...named.map(nameWidth))) + COLUMN.gap
  return named.length >= MANY && size.width - PLOT.left - wide >= COLUMN.plot ? wide : 0
}

/**
 * Points joined by side, each with a cross over what its repeats span, its label, and its side's name
 * at the line: no legend to look things up in. Labels never lie on each other.
 *
 * @param size of the whole chart in pixels; labels are placed for it.
 */
export function curvesOption(input: CurvesInput, palette: Palette, size: Size): ChartOption {
  const base = frame(palette)
  const placed = labelsOf(input, size)
  return frame(palette, {
    grid: { ...PLOT, right: PLOT.right + columnOf(input.sides, size), outerBoundsMode: 'none' },
    legend: { show: false },
    tooltip: {
      ...base.tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => {
        const { seriesIndex, dataIndex } = parameters as { seriesIndex: number; dataIndex: number }
        const side = input.sides[seriesIndex]
        const [first, ...rest] = side?.points[dataIndex]?.tip ?? []
        if (!side || first === undefined) return ''
        return [`<b>${text.encodeHTML(side.name)}</b>, ${text.encodeHTML(first)}`, ...rest.map(text.encodeHTML)].join(
          '<br>',
        )
      },
    },
    xAxis: axis(input.x, palette, { name: input.xName, nameLocation: 'end', nameGap: 0, ...nameUnder(palette) }),
    yAxis: axis(input.y, palette, {}),
    series: [
      ...input.sides.map((side, at) =>
        sideSeries(
          { ...side, colour: shadeFor(side.colour, palette) },
          seriesId(input.sides, at),
          placed[at]!,
          input,
          palette,
        ),
      ),
      ...(input.fits ?? []).map((fit) => fitSeries(fit, input, palette)),
      ...(input.limit ? [limitSeries(input, input.limit, palette)] : []),
    ],
  })
}

/** Where a value of y stands in the chart, in pixels from its upper edge; and back. */
export function yPixels(scale: Scale, height: number) {
  const inner = height - PLOT.top - PLOT.bottom
  return {
    of: (value: number) => PLOT.top + inner * (1 - (scale.place(value) - scale.min) / (scale.max - scale.min)),
    value: (pixel: number) => {
      const place = scale.max - ((pixel - PLOT.top) / inner) * (scale.max - scale.min)
      return scale.kind === 'log' ? 10 ** place : place
    },
  }
}

interface SideLabels {
  counts: (Placed | null)[]
  name: Placed | null
}

/** Places of all texts, side by side. */
export function labelsOf(input: CurvesInput, size: Size): SideLabels[] {
  const column = columnOf(input.sides, size)
  const width = Math.max(120, size.width - PLOT.left - PLOT.right - column)
  const height = size.height - PLOT.top - PLOT.bottom
  const at = (point: CurvePoint) => ({
    x: PLOT.left + (width * (input.x.place(point.x) - input.x.min)) / (input.x.max - input.x.min),
    y: PLOT.top + height * (1 - (input.y.place(point.y) - input.y.min) / (input.y.max - input.y.min)),
  })
  const points = input.sides.map((side) => side.points.map(at))
  const marksOf = points.map((side) => side.map(markBox))
  const linesOf = points.map(alongLine)
  const marks = marksOf.flat()
  const lines = linesOf.flat()
  const drawn = points.map((_, index) => [...marksOf[index]!, ...linesOf[index]!])
  const bounds = { x: PLOT.left + 1, y: 1, width: width + PLOT.right - EDGE, height: PLOT.top + height - 2 }
  const beside = column ? namesBeside(input.sides, points, PLOT.left + width + COLUMN.gap, bounds) : null
  const names: Label[] = beside
    ? []
    : input.sides.map((side, index) => ({
        anchors: [...points[index]!].reverse(),
        width: nameWidth(side),
        height: NAME.height,
        gap: MARK + 4,
        optional: false,
        among: { own: drawn[index]!, others: drawn.filter((_, other) => other !== index).flat() },
      }))
  const counts: Label[] = input.sides.flatMap((side, index) =>
    side.points.map((point, place) => ({
      anchors: [points[index]![place]!],
      width: point.label.length * COUNT.character + 2,
      height: COUNT.height,
      gap: MARK + 2,
      optional: true,
      bare: input.sides.length >= MANY,
    })),
  )
  const found = placeLabels([...names, ...counts], marks, lines, bounds)
  let next = names.length
  return input.sides.map((side, index) => {
    const from = next
    next += side.points.length
    const name = (beside ?? found)[index] ?? null
    return { name: side.points.length ? name : null, counts: found.slice(from, next) }
  })
}

const markBox = ({ x, y }: { x: number; y: number }): Box => ({
  x: x - MARK - 1,
  y: y - MARK - 1,
  width: 2 * MARK + 2,
  height: 2 * MARK + 2,
})

/** Names in a column, each as high as its line's last point, as far as the others allow. */
function namesBeside(
  sides: readonly CurveSide[],
  points: readonly (readonly { x: number; y: number }[])[],
  x: number,
  bounds: Box,
): (Placed | null)[] {
  const named = sides.flatMap((side, index) => (side.points.length ? [index] : []))
  const lasts = named.map((index) => points[index]!.at(-1)!)
  const low = Math.max(0, bounds.y - NAME.height / 2)
  const ys = spread(
    lasts.map((point) => point.y - NAME.height / 2),
    NAME.height,
    low,
    bounds.y + bounds.height - NAME.height,
  )
  const placed = new Map(named.map((index, at) => [index, { x, y: ys[at]!, anchor: lasts[at]!, at: 0, far: true }]))
  return sides.map((_, index) => placed.get(index) ?? null)
}

function sideSeries(side: CurveSide, id: string, labels: SideLabels, input: CurvesInput, palette: Palette) {
  return {
    type: 'custom' as const,
    id,
    name: side.name,
    color: side.colour,
    clip: false,
    z: 3,
    data: side.points.map((point, at) => [input.x.place(point.x), input.y.place(point.y), at]),
    renderItem: (_: unknown, api: CustomSeriesRenderItemAPI): CustomSeriesRenderItemReturn =>
      partsOf(
        pointParts(side, api.value(2) as number, labels, input, palette, (x, y) =>
          api.coord([input.x.place(x), input.y.place(y)]),
        ),
      ),
  }
}

function pointParts(
  side: CurveSide,
  at: number,
  labels: SideLabels,
  input: CurvesInput,
  palette: Palette,
  coordinates: (x: number, y: number) => number[],
): object[] {
  const point = side.points[at]
  if (!point) return []
  const [x = 0, y = 0] = coordinates(point.x, point.y)
  const line = (from: readonly number[], to: readonly number[], style: object, z2: number) => ({
    type: 'line',
    z2,
    shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] },
    style: { stroke: side.colour, fill: 'none', ...style },
  })
  const thin = { lineWidth: 1.25, opacity: 0.5 }
  const parts: object[] = []
  const inside = (scale: Scale, value: number) =>
    Number.isFinite(scale.place(value)) ? value : scale.kind === 'log' ? 10 ** scale.min : 0
  if (point.xRange) {
    const [low, high] = point.xRange.map((value) => inside(input.x, value)) as [number, number]
    parts.push(line(coordinates(low, point.y), coordinates(high, point.y), thin, 1))
  }
  if (point.yRange) {
    const [low, high] = point.yRange.map((value) => inside(input.y, value)) as [number, number]
    parts.push(line(coordinates(point.x, low), coordinates(point.x, high), thin, 1))
  }
  const next = side.points[at + 1]
  if (next)
    parts.push(
      line(
        [x, y],
        coordinates(next.x, next.y),
        side.isPublished
          ? { lineWidth: 1.25, lineDash: [1.5, 4] }
          : { lineWidth: 2, lineDash: markIsHollow(side.mark) ? [6, 4] : null },
        2,
      ),
    )
  const hollow = side.isPublished || markIsHollow(side.mark)
  const shape = markShape(side.mark, x, y, MARK)
  if (shape)
    parts.push({
      ...shape,
      z2: 4,
      style: {
        fill: hollow ? palette.sheet : side.colour,
        stroke: hollow ? side.colour : palette.sheet,
        lineWidth: hollow ? (side.isPublished ? 1.5 : 2) : 1,
        ...(side.isPublished ? { lineDash: [2.5, 2] } : {}),
      },
    })
  else
    parts.push({
      type: 'text',
      z2: 4,
      x,
      y,
      style: {
        text: side.mark,
        align: 'center',
        verticalAlign: 'middle',
        fill: side.colour,
        stroke: palette.sheet,
        lineWidth: 2,
        fontSize: 3 * MARK,
        fontFamily: palette.fontText,
      },
    })
  if (point.ringed)
    parts.push({
      type: 'circle',
      z2: 3,
      shape: { cx: x, cy: y, r: MARK + 4 },
      style: { fill: 'none', stroke: side.colour, lineWidth: 1.75 },
    })
  const label = (placed: Placed | null | undefined, written: string, style: object, z2: number) => {
    if (!placed) return
    const shift = [placed.x - placed.anchor.x, placed.y - placed.anchor.y] as const
    parts.push({
      type: 'text',
      z2,
      silent: true,
      x: x + shift[0],
      y: y + shift[1],
      style: { text: written, fontFamily: palette.fontText, stroke: palette.sheet, lineWidth: 3, ...style },
    })
  }
  label(labels.counts[at], point.label, { fill: palette.ink2, fontSize: COUNT.size }, 5)
  // The name's points are the side's in reverse: the heaviest load is named first.
  if (labels.name?.at === side.points.length - 1 - at) {
    if (labels.name.far)
      parts.push(
        line(
          [x, y],
          [x + labels.name.x - labels.name.anchor.x - 2, y + labels.name.y - labels.name.anchor.y + NAME.height / 2],
          { lineWidth: 1, opacity: 0.6, lineDash: [2, 2] },
          1,
        ),
      )
    const rich = { mark: { fill: side.colour, fontSize: NAME.size, fontFamily: palette.fontText } }
    const style = side.isPublished
      ? { fill: palette.ink2, fontSize: NAME.size, fontStyle: 'italic', rich }
      : { fill: palette.ink, fontSize: NAME.size, fontWeight: 600, rich }
    label(labels.name, `{mark|${side.isPublished ? '◌' : side.mark}} ${side.name.replaceAll(/[{}|]/g, ' ')}`, style, 6)
  }
  return parts
}

function fitSeries(fit: CurveFit, input: CurvesInput, palette: Palette) {
  return {
    type: 'line' as const,
    silent: true,
    symbol: 'none',
    z: 2,
    lineStyle: { color: shadeFor(fit.colour, palette), width: 1.25, type: 'dotted' as const },
    data: fit.points.map(([x, y]) => [input.x.place(x), input.y.place(y)]),
  }
}

function limitSeries(input: CurvesInput, limit: number, palette: Palette) {
  const y = input.y.place(limit)
  return {
    type: 'line' as const,
    name: 'envelope',
    silent: true,
    symbol: 'none',
    z: 2,
    lineStyle: { color: palette.accent, width: 1.5, type: 'dashed' as const },
    data: [
      [input.x.min, y],
      [input.x.max, y],
    ],
  }
}

function axis(scale: Scale, palette: Palette, extra: object) {
  const places = scale.ticks.map((tick) => tick.at)
  const texts = new Map(scale.ticks.map((tick) => [tick.at, tick.text]))
  const written = (value: number) =>
    texts.get(value) ?? scale.ticks.find((tick) => Math.abs(tick.at - value) < 1e-9)?.text ?? ''
  return {
    type: 'value' as const,
    min: scale.min,
    max: scale.max,
    axisLabel: { ...labelStyle(palette), customValues: places, formatter: written, hideOverlap: true },
    axisTick: { show: true, customValues: places, lineStyle: { color: palette.ruleStrong } },
    axisLine: { show: true, onZero: false, lineStyle: { color: palette.ruleStrong } },
    splitLine: { show: scale.kind !== 'steps', lineStyle: { color: palette.rule, width: 1 } },
    ...extra,
  }
}

function nameUnder(palette: Palette) {
  return {
    nameTextStyle: {
      ...labelStyle(palette),
      align: 'right' as const,
      verticalAlign: 'top' as const,
      padding: [22, 0, 0, 0],
    },
  }
}
