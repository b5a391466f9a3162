import type { ChartOption } from './echarts'
import type { Palette } from './palette'

/** An axis' ends and a way to write its values. */
export interface AxisFormat {
  name: string
  write: (value: number) => string
  /** Steps of the axis are round in this unit: 1000 unless the values are bytes. */
  base?: 1000 | 1024
}

/** Where plots begin, px: charts above each other share it, so that an instant stands below itself. */
export const ORIGIN = 76

/** Text style of axis names and labels. */
export function labelStyle(palette: Palette) {
  return { color: palette.ink3, fontFamily: palette.fontText, fontSize: 11 }
}

/** A value axis in house style. */
export function valueAxis(palette: Palette, format: AxisFormat, extra: object = {}) {
  return {
    type: 'value' as const,
    name: format.name,
    nameLocation: 'end' as const,
    nameGap: 12,
    nameTextStyle: { ...labelStyle(palette), align: 'left' as const },
    axisLabel: { ...labelStyle(palette), formatter: (value: number) => format.write(value) },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: palette.rule, width: 1 } },
    splitNumber: 4,
    ...extra,
  }
}

/** The axis along the bottom in house style. */
export function bottomAxis(palette: Palette, name: string, extra: object = {}) {
  return {
    name,
    nameLocation: 'middle' as const,
    nameGap: 28,
    nameTextStyle: labelStyle(palette),
    axisLabel: labelStyle(palette),
    axisLine: { lineStyle: { color: palette.ruleStrong } },
    axisTick: { lineStyle: { color: palette.ruleStrong } },
    splitLine: { show: false },
    ...extra,
  }
}

/** What all charts share: ground, legend, tooltip, no movement. */
export function frame(palette: Palette, extra: ChartOption = {}): ChartOption {
  return {
    backgroundColor: 'transparent',
    animation: false,
    // The frame around a chart has the words; the library's own run to a thousand characters.
    aria: { enabled: false },
    textStyle: { fontFamily: palette.fontText, color: palette.ink2 },
    grid: { left: 8, right: 16, top: 56, bottom: 40, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    legend: {
      top: 0,
      left: 0,
      type: 'scroll',
      icon: 'roundRect',
      itemWidth: 14,
      itemHeight: 4,
      itemGap: 18,
      // As high as its letters: pages of a scrolling legend are cut at the height of a line.
      textStyle: { color: palette.ink2, fontFamily: palette.fontText, fontSize: 12, lineHeight: 18 },
      inactiveColor: palette.rule,
      pageTextStyle: { color: palette.ink3 },
    },
    tooltip: {
      trigger: 'axis',
      backgroundColor: palette.sheet,
      borderColor: palette.ruleStrong,
      borderWidth: 1,
      padding: [8, 12],
      textStyle: { color: palette.ink, fontFamily: palette.fontText, fontSize: 12 },
      axisPointer: { lineStyle: { color: palette.ruleStrong } },
      confine: true,
    },
    ...extra,
  }
}
