import type { CustomSeriesRenderItemReturn } from 'echarts'

/**
 * What stands for one point of a custom series. ECharts compares parts by their place in the list, and a part
 * of another kind takes over the position of the one before it: so each says its own, 0 where its shape does.
 */
export function partsOf(parts: readonly object[]): CustomSeriesRenderItemReturn {
  return {
    type: 'group',
    focus: 'series',
    children: parts.map((part) => ({ x: 0, y: 0, ...part })),
  } as unknown as CustomSeriesRenderItemReturn
}
