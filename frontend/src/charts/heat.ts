import type { ChartOption } from './echarts'
import { bottomAxis, frame, labelStyle } from './frame'
import type { Palette } from './palette'

/** Counts by second and latency; `counts[i][j]` belongs to `t[i]` and `buckets_us[j]`. */
export interface HeatInput {
  t: readonly number[]
  buckets_us: readonly number[]
  counts: readonly (readonly number[])[]
  write: (us: number) => string
}

/** When operations took how long: time × latency, darker where there were more (log scale). */
export function heatOption(input: HeatInput, palette: Palette): ChartOption {
  const cells = input.counts.flatMap((row, time) =>
    row.flatMap((count, bucket) => (count > 0 ? [[time, bucket, Math.log10(count), count]] : [])),
  )
  const most = Math.max(0.1, ...cells.map((cell) => cell[2] ?? 0))
  return frame(palette, {
    legend: { show: false },
    grid: { left: 8, right: 16, top: 28, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    tooltip: {
      ...frame(palette).tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => {
        const { data } = parameters as { data: [number, number, number, number] }
        const from = input.buckets_us[data[1]] ?? 0
        return `${(input.t[data[0]] ?? 0).toFixed(1)} s, from ${input.write(from)}<br><b>${data[3]}</b> operations`
      },
    },
    xAxis: bottomAxis(palette, 'seconds', {
      type: 'category',
      data: input.t.map((time) => time.toFixed(1)),
    }),
    yAxis: {
      type: 'category',
      data: input.buckets_us.map((bucket) => input.write(bucket)),
      name: 'latency, log scale',
      nameTextStyle: { ...labelStyle(palette), align: 'left' },
      axisLabel: { ...labelStyle(palette), interval: Math.max(0, Math.ceil(input.buckets_us.length / 9) - 1) },
      axisLine: { show: false },
      axisTick: { show: false },
    },
    visualMap: {
      show: false,
      min: 0,
      max: most,
      dimension: 2,
      inRange: { color: [palette.rule, palette.accent, palette.bad] },
    },
    series: [{ type: 'heatmap', name: 'operations', data: cells, progressive: 5000 }],
  })
}
