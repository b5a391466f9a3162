import { format } from 'echarts/core'

import { formatRelative } from '@/ui'

import { bandSeries } from './bands'
import type { ChartOption } from './echarts'
import { bottomAxis, frame, valueAxis, type AxisFormat } from './frame'
import type { Palette } from './palette'

/** One campaign's figure in a series. */
export interface HistoryPoint {
  at: string
  label: string
  value: number
  low: number | null
  high: number | null
  repeats: readonly number[]
  segment: number
  /** What it was measured for, in words; shown as plain text. */
  origin?: string
}

/** Where a series stepped, or began to drift. */
export interface HistoryChange {
  at: string
  kind: 'step' | 'drift'
  relative: number
  status: string
}

/** Between which values a machine can tell nothing, from one campaign to another. */
export interface NoiseBand {
  starts_at: string
  ends_at: string
  low: number
  high: number
}

export interface HistoryInput {
  points: readonly HistoryPoint[]
  changes: readonly HistoryChange[]
  segments: readonly { index: number; label: string; starts_at: string }[]
  /** Where campaigns stay while nothing changes. */
  bands?: readonly NoiseBand[]
  colour: string
  name: string
  format: AxisFormat
  /** What stands on the x axis: instants, or campaigns at even steps. */
  along: 'time' | 'campaign'
}

/** Repeats below which there is a range and no interval. */
const FEWEST = 4
const BAND = 'what this machine cannot tell'

/**
 * A series over its campaigns: medians joined within a segment (also across another one that came
 * between), repeats as faint dots, steps marked where they are and drifts where they began.
 */
export function historyOption(input: HistoryInput, palette: Palette): ChartOption {
  const place = (at: string): number =>
    input.along === 'time' ? Date.parse(at) : input.points.findIndex((point) => point.at === at)
  const segments = [...new Set(input.points.map((point) => point.segment))]
  return frame(palette, {
    tooltip: {
      ...frame(palette).tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => {
        const { data } = parameters as { data: [number, number, number] }
        const point = input.points[data[2]]
        if (!point) return ''
        const interval =
          point.low !== null && point.high !== null
            ? `<br>${point.repeats.length < FEWEST ? 'range' : '95 % interval'} ` +
              `${input.format.write(point.low)} to ${input.format.write(point.high)}`
            : ''
        const origin = point.origin ? `<br>${format.encodeHTML(point.origin)}` : ''
        const date = new Date(point.at).toLocaleString('en-GB')
        return `<b>${point.label}</b>, ${date}<br>${input.format.write(point.value)}${interval}${origin}`
      },
    },
    xAxis:
      input.along === 'time'
        ? bottomAxis(palette, '', { type: 'time' })
        : bottomAxis(palette, 'campaign', {
            type: 'value',
            min: -0.5,
            max: input.points.length - 0.5,
            axisTick: { lineStyle: { color: palette.ruleStrong }, customValues: labelled(input.points.length) },
            axisLabel: {
              color: palette.ink3,
              fontSize: 11,
              customValues: labelled(input.points.length),
              formatter: (value: number) => input.points[value]?.label ?? '',
            },
          }),
    yAxis: valueAxis(palette, input.format, { scale: true }),
    dataZoom: [{ type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl' }],
    legend: { ...frame(palette).legend, data: [input.name, 'repeats', ...(input.bands?.length ? [BAND] : [])] },
    series: [
      ...(input.bands ?? []).map((band) => {
        const half = input.along === 'campaign' ? 0.4 : 0
        const [from, to] = [place(band.starts_at) - half, place(band.ends_at) + half]
        return bandSeries(
          BAND,
          palette.ink3,
          [
            [from, band.low, band.high],
            [to, band.low, band.high],
          ],
          0.22,
        )
      }),
      {
        type: 'scatter',
        name: 'repeats',
        color: palette.ruleStrong,
        symbolSize: 4,
        silent: true,
        data: input.points.flatMap((point) => point.repeats.map((repeat) => [place(point.at), repeat])),
      },
      ...segments.map((segment, index) => ({
        type: 'line' as const,
        name: input.name,
        color: input.colour,
        symbol: 'circle',
        symbolSize: 8,
        lineStyle: { width: 1.8 },
        data: input.points.flatMap((point, at) =>
          point.segment === segment ? [[place(point.at), point.value, at]] : [],
        ),
        ...(index === 0 ? marks(input, place, palette) : {}),
      })),
    ],
  })
}

/** Which campaigns the axis names: as many as a phone has room for, at their points. */
function labelled(count: number): number[] {
  const step = Math.max(1, Math.ceil(count / 7))
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
}

function marks(input: HistoryInput, place: (at: string) => number, palette: Palette) {
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      label: { fontSize: 11, position: 'insideEndTop' as const },
      data: [
        ...input.segments.slice(1).map((segment) => ({
          name: segment.label,
          xAxis: place(segment.starts_at) - (input.along === 'campaign' ? 0.5 : 0),
          lineStyle: { color: palette.ruleStrong, type: 'dotted' as const },
          label: { formatter: segment.label, color: palette.ink3 },
        })),
        ...input.changes.map((change) => ({
          name: change.kind === 'drift' ? 'drift' : 'change point',
          xAxis: place(change.at) - (input.along === 'campaign' ? 0.5 : 0),
          lineStyle: {
            color: change.status === 'confirmed' ? palette.bad : palette.caution,
            type: change.status === 'confirmed' ? ('solid' as const) : ('dashed' as const),
            width: 1.5,
          },
          label: {
            formatter: `${change.kind === 'drift' ? 'drift ' : ''}${formatRelative(change.relative)}`,
            color: change.status === 'confirmed' ? palette.bad : palette.caution,
          },
        })),
      ],
    },
  }
}
