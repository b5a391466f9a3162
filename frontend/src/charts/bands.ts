import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemParams, CustomSeriesRenderItemReturn } from 'echarts'

/** A place on the x axis, and between which values a band lies there. */
export type BandPoint = readonly [x: number, low: number, high: number]

/**
 * An area between two lines, behind everything else; told by the chart's own words, so silent.
 *
 * Drawn as one polygon: areas that are stacked on a line below them do not work on a log axis.
 */
export function bandSeries(name: string, colour: string, points: readonly BandPoint[], opacity = 0.16) {
  return {
    type: 'custom' as const,
    name,
    color: colour,
    silent: true,
    clip: true,
    z: 1,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data: points.map((point) => [...point]),
    renderItem: (
      parameters: CustomSeriesRenderItemParams,
      api: CustomSeriesRenderItemAPI,
    ): CustomSeriesRenderItemReturn => {
      if (parameters.dataIndexInside !== 0) return null
      const upper = points.map(([x, , high]) => api.coord([x, high]))
      const lower = points.map(([x, low]) => api.coord([x, low])).reverse()
      return { type: 'polygon', shape: { points: [...upper, ...lower] }, style: { fill: colour, opacity } }
    },
  }
}
