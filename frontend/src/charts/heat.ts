import { graphic } from 'echarts/core'
import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemParams } from 'echarts'

import { lchOf, ramp } from '@/theme'
import type { ChartOption } from './echarts'
import { bottomAxis, frame, labelStyle, ORIGIN } from './frame'
import type { Palette } from './palette'
import { logScale } from './scales'
import { timeUnit, writeTime } from './time'

/** Counts by interval and latency; `counts[i][j]` belongs to `t[i]` to `until[i]` and `buckets_us[j]`. */
export interface HeatInput {
  t: readonly number[]
  until: readonly number[]
  buckets_us: readonly number[]
  counts: readonly (readonly number[])[]
  write: (us: number) => string
}

/** A cell: its ends along both axes, and how many operations a second came to lie in it. */
export interface HeatCell {
  from: number
  to: number
  row: number
  perSecond: number
}

/** Steps of the ramp: as many as the eye can name beside each other. */
const STEPS = 9
const CELLS = 'weighhouse-heat-cells'

type Rectangle = readonly [x: number, y: number, width: number, height: number]

/** All cells of one colour in one path: thousands of cells cost as much as a handful of shapes. */
const Cells = graphic.extendShape({
  type: CELLS,
  shape: { cells: [] as readonly Rectangle[] },
  buildPath(path, shape) {
    for (const [x, y, width, height] of (shape as { cells: readonly Rectangle[] }).cells) path.rect(x, y, width, height)
  },
})
graphic.registerShape(CELLS, Cells)

/** Cells that hold something, as wide as their interval. */
export function heatCells(input: HeatInput): HeatCell[] {
  return input.counts.flatMap((column, at) => {
    const from = input.t[at] ?? 0
    const to = input.until[at] ?? from
    const seconds = to - from
    if (!(seconds > 0)) return []
    return column.flatMap((count, row) => (count > 0 ? [{ from, to, row, perSecond: count / seconds }] : []))
  })
}

/** Which step of the ramp a cell has: steps are even in the logarithm. */
export function heatStep(perSecond: number, least: number, most: number): number {
  if (!(most > least)) return STEPS - 1
  const share = Math.log(perSecond / least) / Math.log(most / least)
  return Math.min(STEPS - 1, Math.max(0, Math.floor(share * STEPS)))
}

/** Round latencies by the row that they stand at, between its bottom and its top in the logarithm. */
export function heatLabels(input: Pick<HeatInput, 'buckets_us' | 'write'>): Map<number, string> {
  const bounds = input.buckets_us
  const labels = new Map<number, string>()
  for (const { at, text } of logScale(bounds, input.write).ticks) {
    const value = 10 ** at
    const row = bounds.filter((bound) => bound <= value * (1 + 1e-9)).length - 1
    const [low, high] = [bounds[row], bounds[row + 1]]
    if (low === undefined || high === undefined) continue
    labels.set(row + Math.max(0, Math.log(value / low) / Math.log(high / low)), text)
  }
  return labels
}

/** The ramp of a theme: away from the ground, the more there is. */
export function heatRamp(palette: Palette): string[] {
  const dark = lchOf(palette.sheet).lightness < 0.5
  return ramp(dark ? ['#26343f', '#f4e7b0'] : ['#dbe5ea', '#33124d'], STEPS)
}

/**
 * When operations took how long: time × latency, stronger where there were more a second (log scale).
 *
 * Cells are as wide as their interval; where nothing was measured there is none.
 */
export function heatOption(input: HeatInput, palette: Palette): ChartOption {
  const cells = heatCells(input)
  const unit = timeUnit(input.until.at(-1) ?? 0)
  const rates = cells.map((cell) => cell.perSecond)
  const most = rates.reduce((a, b) => Math.max(a, b), 1)
  const least = Math.min(
    most / 10,
    Math.max(
      most / 1e6,
      rates.reduce((a, b) => Math.min(a, b), most),
    ),
  )
  const colours = heatRamp(palette)
  const byStep = colours.map((_, step) => cells.filter((cell) => heatStep(cell.perSecond, least, most) === step))
  const rows = Math.max(1, input.buckets_us.length)
  const labels = heatLabels(input)
  const rate = (value: number): string =>
    (value >= 10 ? Math.round(value) : Number(value.toPrecision(2))).toLocaleString('en')
  const text = { ...labelStyle(palette) }
  return frame(palette, {
    legend: { show: false },
    grid: { left: ORIGIN, right: 16, top: 44, bottom: 44, outerBoundsMode: 'none' },
    tooltip: {
      ...frame(palette).tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => {
        const at = (parameters as { dataIndex: number }).dataIndex
        return columnInWords(input, at, (seconds) => writeTime(seconds, unit, true), rate)
      },
    },
    xAxis: bottomAxis(palette, unit.name, {
      type: 'value',
      min: 0,
      max: (input.until.at(-1) ?? 1) / unit.seconds,
      axisLabel: {
        ...text,
        showMaxLabel: false,
        hideOverlap: true,
        formatter: (value: number) => String(Number(value.toFixed(2))),
      },
    }),
    yAxis: {
      type: 'value',
      min: 0,
      max: rows,
      axisLabel: {
        ...text,
        customValues: [...labels.keys()],
        formatter: (row: number) => labels.get(row) ?? '',
      },
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: false },
    },
    visualMap: {
      type: 'continuous',
      orient: 'horizontal',
      right: 16,
      top: 0,
      itemWidth: 10,
      itemHeight: 96,
      min: Math.log10(least),
      max: Math.log10(most),
      calculable: false,
      hoverLink: false,
      text: [`${rate(most)} op/s`, rate(least)],
      textStyle: text,
      seriesIndex: 2,
      inRange: { color: colours },
    },
    series: [
      {
        type: 'custom',
        name: 'operations',
        silent: true,
        clip: true,
        data: [[0, 0]],
        renderItem: (_: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) => ({
          type: 'group',
          children: byStep.map((some, step) => ({
            type: CELLS,
            shape: { cells: some.map((cell) => rectangle(cell, unit.seconds, api)) },
            style: { fill: colours[step] },
          })),
        }),
      },
      {
        // What the cursor meets: a column, told in words.
        type: 'custom',
        name: 'columns',
        clip: true,
        data: input.t.map((from, at) => [from / unit.seconds, (input.until[at] ?? from) / unit.seconds]),
        encode: { x: [0, 1] },
        renderItem: (parameters: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) => {
          const [left] = api.coord([api.value(0), 0]) as [number, number]
          const [right] = api.coord([api.value(1), 0]) as [number, number]
          const { y, height } = parameters.coordSys as unknown as { y: number; height: number }
          return {
            type: 'rect' as const,
            shape: { x: left, y, width: Math.max(1, right - left), height },
            style: { fill: 'transparent' },
            emphasis: { style: { stroke: palette.ink2, lineWidth: 1 } },
          }
        },
      },
      { type: 'scatter', name: 'key', data: [], silent: true },
    ],
  } as ChartOption)
}

function rectangle(cell: HeatCell, unit: number, api: CustomSeriesRenderItemAPI): Rectangle {
  const [left, bottom] = api.coord([cell.from / unit, cell.row]) as [number, number]
  const [right, top] = api.coord([cell.to / unit, cell.row + 1]) as [number, number]
  // A hair over, so that no ground shines through between neighbours.
  return [left, top, right - left + 0.4, bottom - top + 0.4]
}

function columnInWords(
  input: HeatInput,
  at: number,
  time: (seconds: number) => string,
  rate: (value: number) => string,
): string {
  const column = input.counts[at] ?? []
  const from = input.t[at] ?? 0
  const to = input.until[at] ?? from
  const filled = column.flatMap((count, row) => (count > 0 ? [row] : []))
  const head = `${time(from)} to ${time(to)}`
  if (!filled.length) return `${head}<br>nothing succeeded`
  const total = column.reduce((sum, count) => sum + count, 0)
  const fullest = column.indexOf(Math.max(...column))
  const above = input.buckets_us[fullest + 1]
  const write = (row: number | undefined): string => input.write(input.buckets_us[row ?? 0] ?? 0)
  const end = above === undefined ? '' : ` to ${input.write(above)}`
  return [
    head,
    `<b>${rate(total / (to - from))} op/s</b>, ${total.toLocaleString('en')} in all`,
    `most took ${input.write(input.buckets_us[fullest] ?? 0)}${end}`,
    `from ${write(filled[0])}, slowest above ${write(filled.at(-1))}`,
  ].join('<br>')
}
