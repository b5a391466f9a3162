import type { ChartOption } from './echarts'

/** A part of the x axis that is shown, in percent of the whole. */
export type Zoom = readonly [start: number, end: number]

/** What a chart says when its zoom has changed. */
export interface ZoomEvent {
  start?: number
  end?: number
  startValue?: number
  endValue?: number
  batch?: readonly ZoomEvent[]
}

const WHOLE = 99.99

/**
 * The part that a chart shows after a change; null when it is the whole.
 *
 * @param option tells the axis' ends, for changes that are told as values.
 */
export function zoomOf(event: ZoomEvent, option: ChartOption): Zoom | null {
  const told = event.batch?.[0] ?? event
  const axis = option.xAxis as { min?: unknown; max?: unknown } | undefined
  let { start, end } = told
  if (start === undefined && told.startValue !== undefined && told.endValue !== undefined) {
    if (typeof axis?.min !== 'number' || typeof axis.max !== 'number' || axis.max <= axis.min) return null
    const share = (value: number, from: number, to: number): number => (100 * (value - from)) / (to - from)
    start = share(told.startValue, axis.min, axis.max)
    end = share(told.endValue, axis.min, axis.max)
  }
  const zoom: Zoom = [Math.max(0, start ?? 0), Math.min(100, end ?? 100)]
  return zoom[1] - zoom[0] >= WHOLE ? null : zoom
}

/** Whether a chart can be zoomed at all. */
export function canZoom(option: ChartOption): boolean {
  return [option.dataZoom].flat().some(Boolean)
}

/** The chart with the means to drag over the part that shall be shown. */
export function zoomable(option: ChartOption): ChartOption {
  if (!canZoom(option)) return option
  // The tool is there for its brush; its own icons are not shown, for the frame has words for them.
  const icon = { zoom: 'path://', back: 'path://' }
  return {
    ...option,
    toolbox: { itemSize: 0, showTitle: false, feature: { dataZoom: { yAxisIndex: 'none' as const, icon } } },
  }
}
