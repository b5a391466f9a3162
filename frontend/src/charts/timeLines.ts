import type { ChartOption } from './echarts'
import { bottomAxis, frame, labelStyle, roundScale, valueAxis, type AxisFormat } from './frame'
import type { Palette } from './palette'

/** One line over time; `values` stands beside `times`, null where nothing was measured. */
export interface TimeLine {
  name: string
  colour: string
  dash?: 'solid' | 'dashed' | 'dotted'
  times: readonly number[]
  values: readonly (number | null)[]
}

/** A phase of a run, in seconds from its first interval. */
export interface PhaseSpan {
  kind: string
  start_seconds: number
  end_seconds: number
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
  /** Whether the marks say what they are; charts below the first need not repeat it. */
  named?: boolean
  logarithmic?: boolean
}

/**
 * Lines over a run's seconds, with its phases shaded and its events marked.
 *
 * @returns an option for a chart of its own; charts of one group share their zoom.
 */
export function timeLinesOption(input: TimeLinesInput, palette: Palette): ChartOption {
  const { format } = input
  return frame(palette, {
    tooltip: {
      ...frame(palette).tooltip,
      valueFormatter: (value) => (typeof value === 'number' ? format.write(value) : '–'),
    },
    xAxis: bottomAxis(palette, 'seconds', {
      type: 'value',
      min: 0,
      max: 'dataMax',
      minInterval: 0.1,
      axisLabel: { ...labelStyle(palette), showMaxLabel: false, formatter: (value: number) => String(Number(value.toFixed(2))) },
    }),
    yAxis: input.logarithmic
      ? valueAxis(palette, format, { type: 'log', minorSplitLine: { show: false } })
      : valueAxis(palette, format, { min: 0, ...roundScale(highest(input), format.base) }),
    dataZoom: [{ type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl' }],
    series: input.lines.map((line, index) => ({
      type: 'line' as const,
      name: line.name,
      color: line.colour,
      showSymbol: line.times.length < 40,
      symbol: 'circle',
      symbolSize: 4,
      sampling: 'lttb' as const,
      lineStyle: { width: 1.6, type: line.dash ?? 'solid' },
      data: line.times.map((time, at) => [time, positive(line.values[at] ?? null, input.logarithmic)]),
      ...(index === 0 ? backdrop(input, palette) : {}),
    })),
  })
}

function highest(input: TimeLinesInput): number {
  return input.lines.reduce((most, line) => line.values.reduce<number>((top, value) => Math.max(top, value ?? 0), most), 0)
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

function backdrop(input: TimeLinesInput, palette: Palette) {
  const moments = input.moments ?? []
  const cut = (input.phases ?? []).filter((phase) => phase.kind !== 'measure')
  return {
    markArea: {
      silent: true,
      itemStyle: { color: palette.rule, opacity: 0.35 },
      label: { color: palette.ink3, fontSize: 10, position: 'insideTop' as const },
      data: [
        ...cut.map((phase) => [{ name: phase.kind, xAxis: phase.start_seconds }, { xAxis: phase.end_seconds }]),
        ...moments
          .filter((moment) => moment.until_seconds !== undefined)
          .map((moment) => [
            { xAxis: moment.at_seconds, itemStyle: { color: strokeOf(moment.tone, palette).color, opacity: 0.12 } },
            { xAxis: moment.until_seconds },
          ]),
      ] as [object, object][],
    },
    markLine: {
      silent: true,
      symbol: 'none',
      label: { show: input.named ?? true, fontSize: 10, fontFamily: palette.fontText, formatter: '{b}', position: 'insideEndTop' as const },
      data: moments.map((moment) => {
        const lineStyle = strokeOf(moment.tone, palette)
        return { name: moment.label, xAxis: moment.at_seconds, lineStyle, label: { color: lineStyle.color } }
      }),
    },
  }
}
