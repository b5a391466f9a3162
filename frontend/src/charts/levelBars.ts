import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemReturn } from 'echarts'

import type { ChartOption } from './echarts'
import { bottomAxis, frame, roundScale, valueAxis, type AxisFormat } from './frame'
import { shadeFor, type Palette } from './palette'

/** A median with its interval and the repeats it came from, at one load level. */
export interface LevelPoint {
  /** Key of the level: two levels may have one number of clients. */
  level: string
  median: number | null
  low: number | null
  high: number | null
  /** Below four repeats, from the least to the greatest: no confidence. */
  kind?: 'interval' | 'range'
  repeats: readonly number[]
}

/** One side of a comparison along the load levels. */
export interface LevelSide {
  name: string
  colour: string
  mark: string
  points: readonly LevelPoint[]
}

export interface LevelBarsInput {
  sides: readonly LevelSide[]
  levels: readonly { key: string; label: string }[]
  axisName: string
  format: AxisFormat
}

const BAR_SHARE = 0.62

/**
 * Bars by load level, one a side, with the interval as a whisker and each repeat as a dot.
 *
 * The axis begins at 0, so that lengths compare as the figures do.
 */
export function levelBarsOption(input: LevelBarsInput, palette: Palette): ChartOption {
  const { format } = input
  const width = BAR_SHARE / Math.max(1, input.sides.length)
  return frame(palette, {
    tooltip: { ...frame(palette).tooltip, trigger: 'item', formatter: tooltip(input) },
    xAxis: bottomAxis(palette, input.axisName, {
      type: 'category',
      data: input.levels.map((level) => level.label),
      axisTick: { show: false },
    }),
    yAxis: valueAxis(palette, format, { min: 0, ...roundScale(highest(input), format.base) }),
    series: input.sides.flatMap((side, index) => {
      const offset = (index - (input.sides.length - 1) / 2) * width
      const at = (level: string) => side.points.find((point) => point.level === level)
      return [
        {
          type: 'bar' as const,
          name: `${side.mark} ${side.name}`,
          color: shadeFor(side.colour, palette),
          barWidth: `${(width * 100 * 0.86).toFixed(2)}%`,
          barGap: '16%',
          itemStyle: { borderRadius: [1, 1, 0, 0], opacity: 0.88 },
          data: input.levels.map((level) => at(level.key)?.median ?? null),
        },
        {
          type: 'custom' as const,
          name: `${side.mark} ${side.name}`,
          color: shadeFor(side.colour, palette),
          silent: true,
          z: 5,
          encode: { x: 0, y: [1, 2] },
          renderItem: (_: unknown, api: CustomSeriesRenderItemAPI) => whisker(api, offset, width, palette),
          data: input.levels.map((level, position) => {
            const point = at(level.key)
            return [position, point?.low ?? NaN, point?.high ?? NaN, ...(point?.repeats ?? [])]
          }),
        },
      ]
    }),
  })
}

/** The highest bar, whisker or repeat. */
function highest(input: LevelBarsInput): number {
  const values = input.sides.flatMap((side) =>
    side.points.flatMap((point) => [point.median ?? 0, point.high ?? 0, ...point.repeats]),
  )
  return Math.max(0, ...values)
}

function whisker(
  api: CustomSeriesRenderItemAPI,
  offset: number,
  width: number,
  palette: Palette,
): CustomSeriesRenderItemReturn {
  const position = api.value(0) as number
  const band = (api.size?.([1, 0]) as number[])[0] ?? 0
  const centre = (api.coord([position, 0])[0] ?? 0) + offset * band
  const half = Math.min(6, width * band * 0.2)
  const style = { stroke: palette.ink, lineWidth: 1.25, fill: 'none' }
  const level = (value: number) => api.coord([position, value])[1] ?? 0
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: 'line' as const,
    shape: { x1, y1, x2, y2 },
    style,
  })
  const children: object[] = []
  const low = api.value(1) as number
  const high = api.value(2) as number
  if (Number.isFinite(low) && Number.isFinite(high)) {
    children.push(
      line(centre, level(low), centre, level(high)),
      line(centre - half, level(low), centre + half, level(low)),
      line(centre - half, level(high), centre + half, level(high)),
    )
  }
  for (let at = 3; ; at += 1) {
    const repeat = api.value(at) as number
    if (!Number.isFinite(repeat)) break
    children.push({
      type: 'circle',
      shape: { cx: centre + half * 1.7, cy: level(repeat), r: 1.8 },
      style: { fill: palette.ink, opacity: 0.5 },
    })
  }
  return { type: 'group', children } as CustomSeriesRenderItemReturn
}

function tooltip(input: LevelBarsInput) {
  return (parameters: unknown): string => {
    const { dataIndex, seriesIndex } = parameters as { dataIndex: number; seriesIndex: number }
    const side = input.sides[Math.floor(seriesIndex / 2)]
    const level = input.levels[dataIndex]
    const point = side?.points.find((candidate) => candidate.level === level?.key)
    if (!side || !level || !point || point.median === null) return ''
    const write = input.format.write
    const interval =
      point.low !== null && point.high !== null
        ? `<br>${point.kind === 'range' ? 'range' : '95 % interval'} ${write(point.low)} to ${write(point.high)}`
        : ''
    const count = point.repeats.length
    const repeats = count ? `<br>${count} ${count === 1 ? 'repeat' : 'repeats'}` : ''
    return `<b>${escaped(side.name)}</b>, ${escaped(level.label)}<br>median ${write(point.median)}${interval}${repeats}`
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
