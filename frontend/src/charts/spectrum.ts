import type { ChartOption } from './echarts'
import { bottomAxis, frame, valueAxis, type AxisFormat } from './frame'
import type { Palette } from './palette'

/** A point of the percentile spectrum; `count` is how many operations lie at or below it. */
export interface SpectrumPoint {
  quantile: number
  value_us: number
  count: number
}

export interface SpectrumLine {
  name: string
  colour: string
  points: readonly SpectrumPoint[]
}

const TICKS: Record<number, string> = {
  0: '0',
  1: '90 %',
  2: '99 %',
  3: '99.9 %',
  4: '99.99 %',
  5: '99.999 %',
  6: '99.9999 %',
}

/**
 * Latency by percentile, stretched towards the tail: x = log10(1 / (1 − q)).
 *
 * The stretch is HdrHistogram's: each step to the right is ten times rarer.
 */
export function spectrumOption(lines: readonly SpectrumLine[], format: AxisFormat, palette: Palette): ChartOption {
  return frame(palette, {
    tooltip: { ...frame(palette).tooltip, formatter: tooltip(format) },
    xAxis: percentileAxis(palette),
    yAxis: valueAxis(palette, format, { type: 'log', minorSplitLine: { show: false } }),
    series: lines.map((line) => ({
      type: 'line' as const,
      name: line.name,
      color: line.colour,
      showSymbol: false,
      step: 'end' as const,
      lineStyle: { width: 1.6 },
      data: line.points
        .filter((point) => point.quantile < 1 && point.value_us > 0)
        .map((point) => [nines(point.quantile), point.value_us, point.count]),
    })),
  })
}

/** Percentiles along the bottom, stretched towards the tail. */
export function percentileAxis(palette: Palette) {
  return bottomAxis(palette, 'percentile', {
    type: 'value' as const,
    min: 0,
    interval: 1,
    axisLabel: {
      color: palette.ink3,
      fontSize: 11,
      fontFamily: palette.fontText,
      hideOverlap: true,
      formatter: (value: number) => TICKS[value] ?? '',
    },
    splitLine: { show: true, lineStyle: { color: palette.rule } },
  })
}

/** How many nines a quantile has: 0.9 → 1, 0.99 → 2. */
export function nines(quantile: number): number {
  return Math.log10(1 / (1 - quantile))
}

/** A number of nines as a percentile in words: 2 → `p99`, 3 → `p99.9`. */
export function percentileLabel(count: number): string {
  const percent = (1 - 10 ** -count) * 100
  const decimals = Math.max(0, Math.ceil(count) - 1)
  return `p${Number(percent.toFixed(Math.min(6, decimals)))}`
}

function tooltip(format: AxisFormat) {
  return (parameters: unknown): string => {
    const items = parameters as { seriesName: string; data: [number, number, number] }[]
    const first = items[0]
    if (!first) return ''
    const rows = items.map((item) => `${item.seriesName}: <b>${format.write(item.data[1])}</b>`)
    return [percentileLabel(first.data[0]), ...rows].join('<br>')
  }
}
