import { format as text } from 'echarts/core'

import { bandSeries, type BandPoint } from './bands'
import type { ChartOption } from './echarts'
import { frame, valueAxis, type AxisFormat } from './frame'
import { shadeFor, type Palette } from './palette'
import { nines, percentileAxis, percentileLabel } from './spectrum'

/** One percentile of a side, with its band where there are runs enough for one. */
export interface BandedPoint {
  quantile: number
  value: number
  low: number | null
  high: number | null
}

/** One side's line. */
export interface BandedLine {
  /** Tells the line to those that want it highlighted. */
  key: string
  name: string
  colour: string
  points: readonly BandedPoint[]
}

export interface DistributionsInput {
  lines: readonly BandedLine[]
  format: AxisFormat
  /** Whether values are spaced by their logarithm; else around 0, which is marked. */
  logarithmic: boolean
}

/** Lines over percentiles with their bands behind them: spectra, or how much each percentile shifts. */
export function distributionsOption(input: DistributionsInput, palette: Palette): ChartOption {
  const base = frame(palette)
  return frame(palette, {
    legend: { ...base.legend, data: input.lines.map((line) => line.name) },
    tooltip: { ...base.tooltip, formatter: tooltip(input) },
    xAxis: percentileAxis(palette),
    yAxis: valueAxis(
      palette,
      input.format,
      input.logarithmic ? { type: 'log', minorSplitLine: { show: false } } : { scale: false },
    ),
    series: [
      ...input.lines.map((line) =>
        bandSeries(line.name, shadeFor(line.colour, palette), bandOf(line, input.logarithmic)),
      ),
      ...input.lines.map((line, index) => ({
        type: 'line' as const,
        id: line.key,
        name: line.name,
        emphasis: { focus: 'series' as const },
        color: shadeFor(line.colour, palette),
        showSymbol: false,
        symbol: 'circle',
        z: 3,
        lineStyle: { width: 1.8, type: (['solid', 'dashed', 'dotted'] as const)[Math.floor(index / 4) % 3] },
        data: line.points.map((point, at) => [nines(point.quantile), point.value, at]),
        ...(index === 0 && !input.logarithmic ? zero(palette) : {}),
      })),
    ],
  })
}

/** A line's band, as far as it has one that the axis can show. */
export function bandOf(line: BandedLine, logarithmic: boolean): BandPoint[] {
  return line.points.flatMap((point) =>
    point.low === null || point.high === null || (logarithmic && point.low <= 0)
      ? []
      : [[nines(point.quantile), point.low, point.high] as const],
  )
}

function zero(palette: Palette) {
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      label: { show: false },
      data: [{ yAxis: 0, lineStyle: { color: palette.ink3, type: 'solid' as const, width: 1 } }],
    },
  }
}

function tooltip(input: DistributionsInput) {
  return (parameters: unknown): string => {
    const items = (parameters as { seriesType: string; seriesName: string; data: number[] }[]).filter(
      (item) => item.seriesType === 'line',
    )
    const first = items[0]
    if (!first) return ''
    const rows = items.map((item) => {
      const point = input.lines.find((line) => line.name === item.seriesName)?.points[item.data[2] ?? -1]
      if (!point) return ''
      const band =
        point.low !== null && point.high !== null
          ? `, ${input.format.write(point.low)} to ${input.format.write(point.high)}`
          : ''
      return `${text.encodeHTML(item.seriesName)}: <b>${input.format.write(point.value)}</b>${band}`
    })
    return [percentileLabel(first.data[0] ?? 0), ...rows].join('<br>')
  }
}
