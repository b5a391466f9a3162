import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemReturn } from 'echarts'
import { format as text } from 'echarts/core'

import { PLOT, type Size } from './curves'
import { partsOf } from './customParts'
import type { ChartOption } from './echarts'
import { frame, labelStyle } from './frame'
import { markIsHollow } from './marks'
import { shadeFor, type Palette } from './palette'
import type { Scale } from './scales'

/** One bar: its value, and what its repeats span. */
export interface Bar {
  value: number
  range: readonly [low: number, high: number] | null
  /** Lines of the tooltip. */
  tip: readonly string[]
}

/** One side's bars, a place for each group; null where nothing was measured. */
export interface BarSide {
  /** Tells the side to those that want it highlighted. */
  key: string
  name: string
  colour: string
  mark: string
  bars: readonly (Bar | null)[]
}

export interface BarsInput {
  groups: readonly string[]
  sides: readonly BarSide[]
  /** From 0, for lengths are compared. */
  y: Scale
}

/** Share of a group's room that its bars take. */
const FILLED = 0.84
const MARK = { size: 10, least: 9 }

/**
 * Bars of all sides beside each other, group by group, with the range of their repeats; each bar has its
 * side's mark, so that sides are told apart without their colours.
 *
 * @param size of the whole chart in pixels: marks are left out where bars are narrower than they are.
 */
export function barsOption(input: BarsInput, palette: Palette, size: Size): ChartOption {
  const base = frame(palette)
  const ticks = input.y.ticks.map((tick) => tick.at)
  const texts = new Map(input.y.ticks.map((tick) => [tick.at, tick.text]))
  return frame(palette, {
    grid: { ...PLOT, top: 40, outerBoundsMode: 'none' },
    legend: { ...base.legend, data: input.sides.map((side) => side.name) },
    tooltip: {
      ...base.tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => {
        const { seriesIndex, data } = parameters as { seriesIndex: number; data: number[] }
        const side = input.sides[seriesIndex]
        const [first, ...rest] = side?.bars[data[0] ?? -1]?.tip ?? []
        if (!side || first === undefined) return ''
        return [`<b>${text.encodeHTML(side.name)}</b>, ${text.encodeHTML(first)}`, ...rest.map(text.encodeHTML)].join(
          '<br>',
        )
      },
    },
    xAxis: {
      type: 'category',
      data: [...input.groups],
      axisTick: { show: false },
      axisLine: { lineStyle: { color: palette.ruleStrong } },
      axisLabel: {
        ...labelStyle(palette),
        interval: 0,
        lineHeight: 13,
        overflow: 'break',
        width: widthOf(input, size),
      },
    },
    yAxis: {
      type: 'value',
      min: 0,
      max: input.y.max,
      interval: (ticks[1] ?? input.y.max) - (ticks[0] ?? 0) || input.y.max,
      axisLabel: {
        ...labelStyle(palette),
        customValues: ticks,
        formatter: (value: number) => texts.get(value) ?? '',
      },
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { lineStyle: { color: palette.rule, width: 1 } },
    },
    series: input.sides.map((side, place) => sideSeries(side, place, input, palette)),
  })
}

const widthOf = (input: BarsInput, size: Size) =>
  (size.width - PLOT.left - PLOT.right) / Math.max(1, input.groups.length) - 4

function sideSeries(side: BarSide, place: number, input: BarsInput, palette: Palette) {
  const colour = shadeFor(side.colour, palette)
  const hollow = markIsHollow(side.mark)
  return {
    type: 'custom' as const,
    id: side.key,
    name: side.name,
    color: colour,
    clip: true,
    z: 3,
    data: side.bars.flatMap((bar, group) => (bar ? [[group, bar.value]] : [])),
    renderItem: (_: unknown, api: CustomSeriesRenderItemAPI): CustomSeriesRenderItemReturn => {
      const group = api.value(0) as number
      const bar = side.bars[group]
      if (!bar) return null
      const [band = 0] = api.size!([1, 0]) as number[]
      const width = (band * FILLED) / input.sides.length
      const [middle = 0, top = 0] = api.coord([group, bar.value])
      const [, floor = 0] = api.coord([group, 0])
      const x = middle - (band * FILLED) / 2 + place * width
      const gap = width > 6 ? 1 : 0
      const centre = x + width / 2
      const parts: object[] = [
        {
          type: 'rect',
          shape: { x: x + gap, y: top, width: Math.max(1, width - 2 * gap), height: Math.max(0, floor - top) },
          style: { fill: hollow ? palette.sheet : colour, stroke: colour, lineWidth: hollow ? 1.5 : 0 },
        },
      ]
      if (bar.range) {
        const [low, high] = bar.range.map((value) => api.coord([group, value])[1])
        parts.push({
          type: 'line',
          shape: { x1: centre, y1: low, x2: centre, y2: high },
          style: { stroke: palette.ink, lineWidth: 1.25, fill: 'none' },
        })
      }
      if (width >= MARK.least)
        parts.push({
          type: 'text',
          x: centre,
          y: Math.min(top, bar.range ? api.coord([group, bar.range[1]])[1]! : top) - 2,
          style: {
            text: side.mark,
            align: 'center',
            verticalAlign: 'bottom',
            fill: colour,
            fontSize: MARK.size,
            fontFamily: palette.fontText,
          },
        })
      return partsOf(parts)
    },
  }
}
