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
      axisLabel: {
        ...labelStyle(palette),
        showMaxLabel: false,
        formatter: (value: number) => String(Number(value.toFixed(2))),
      },
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

/** A peak outside the measured phase is let out of the scale when it is so many times the measured one. */
const BEYOND = 2

/** Where the scale ends: at the peak, or at the measured phase's when all else would flatten it. */
function highest(input: TimeLinesInput): number {
  const whole = peak(input, () => true)
  const spans = (input.phases ?? []).filter((phase) => phase.kind === 'measure')
  const measured = peak(input, (time) => spans.some((span) => time >= span.start_seconds && time <= span.end_seconds))
  return measured > 0 && whole > BEYOND * measured ? measured : whole
}

function peak(input: TimeLinesInput, counts: (time: number) => boolean): number {
  let most = 0
  for (const line of input.lines) {
    line.times.forEach((time, at) => {
      if (counts(time)) most = Math.max(most, line.values[at] ?? 0)
    })
  }
  return most
}

/** A phase that was cut from the figures, with an arrow where its lines leave the scale. */
function nameOf(phase: PhaseSpan, input: TimeLinesInput): string {
  if (input.logarithmic) return phase.kind
  const top = peak(input, (time) => time >= phase.start_seconds && time <= phase.end_seconds)
  return top > roundScale(highest(input), input.format.base).max ? `${phase.kind} ↑` : phase.kind
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
function levelOf(stretch: Stretch, level: number, palette: Palette) {
  const lineStyle = { color: palette.accent, type: 'solid' as const, width: 2 }
  const ends: [object, object] = [
    { coord: [stretch.start_seconds, level], lineStyle, label: { show: false } },
    { coord: [stretch.end_seconds, level] },
  ]
  return ends
}

function backdrop(input: TimeLinesInput, palette: Palette) {
  const moments = input.moments ?? []
  const stretches = input.stretches ?? []
  const cut = (input.phases ?? []).filter((phase) => phase.kind !== 'measure')
  return {
    markArea: {
      silent: true,
      itemStyle: { color: palette.rule, opacity: 0.35 },
      label: { color: palette.ink3, fontSize: 10, position: 'insideTop' as const },
      data: [
        ...cut.map((phase) => [
          { name: nameOf(phase, input), xAxis: phase.start_seconds },
          { xAxis: phase.end_seconds },
        ]),
        ...stretches.map((stretch, at) => [
          {
            name: stretch.label,
            xAxis: stretch.start_seconds,
            itemStyle: { color: palette.accent, opacity: at % 2 ? 0.16 : 0.05 },
          },
          { xAxis: stretch.end_seconds },
        ]),
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
      label: {
        show: input.named ?? true,
        fontSize: 10,
        fontFamily: palette.fontText,
        formatter: '{b}',
        position: 'insideEndTop' as const,
      },
      data: [
        ...moments.map((moment) => {
          const lineStyle = strokeOf(moment.tone, palette)
          return { name: moment.label, xAxis: moment.at_seconds, lineStyle, label: { color: lineStyle.color } }
        }),
        ...stretches.flatMap((stretch) =>
          stretch.level === undefined ? [] : [levelOf(stretch, stretch.level, palette)],
        ),
      ],
    },
  }
}
