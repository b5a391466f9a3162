import { computed, type ComputedRef, type Ref } from 'vue'

import type { MenuItem } from '@/ui'

import { useBeside } from './beside'
import type { Size } from './curves'
import type { ChartOption } from './echarts'
import { linkTo } from './links'
import type { Palette } from './palette'
import { picturePng, pictureSvg } from './picture'
import {
  csv,
  leavingLines,
  leavingName,
  leavingTitle,
  type ChartTable,
  type Footnote,
  type Leaving,
  type Measured,
} from './table'

/** What a picture that leaves the house is drawn for. */
const PICTURE: Size = { width: 1200, height: 520 }

/** What of a chart is taken along. */
export interface TakenAlong {
  title: string
  unit?: string
  table: ChartTable
  measured?: Measured
  /** In place of those of the page. */
  footnotes?: readonly Footnote[]
  files: readonly MenuItem[]
}

/**
 * The ways to take a chart along: as a picture and as figures, both with what stands beside the numbers
 * of their page and the address of the very view.
 *
 * @param chart read anew at each use.
 * @param anchor what the address calls the chart.
 * @param draw the chart's option for a size.
 */
export function useTakeAlong(
  chart: TakenAlong,
  anchor: Ref<string>,
  draw: (size: Size) => ChartOption,
  palette: Ref<Palette>,
): ComputedRef<MenuItem[]> {
  const beside = useBeside()

  function leaving(): Leaving {
    return {
      title: chart.title,
      unit: chart.unit,
      measured: { ...beside().measured, ...chart.measured },
      footnotes: chart.footnotes ?? beside().footnotes,
      view: location.href,
      date: new Date().toISOString().slice(0, 10),
    }
  }
  const picture = () => ({ ...leaving(), option: draw(PICTURE), palette: palette.value })
  const figures = () => csv(chart.table, [leavingTitle(leaving()), ...leavingLines(leaving())])

  function save(address: string, ending: string): void {
    const link = document.createElement('a')
    link.href = address
    link.download = `${leavingName(leaving())}.${ending}`
    link.click()
  }

  function saveText(text: string, type: string, ending: string): void {
    const address = URL.createObjectURL(new Blob([text], { type }))
    save(address, ending)
    URL.revokeObjectURL(address)
  }

  return computed(() => [
    { label: 'Picture, PNG', select: () => save(picturePng(picture()), 'png') },
    { label: 'Picture, SVG', select: () => saveText(pictureSvg(picture()), 'image/svg+xml', 'svg') },
    { label: 'Figures, CSV', select: () => saveText(figures(), 'text/csv', 'csv') },
    ...chart.files,
    { label: 'Link to this chart', select: () => void linkTo(anchor.value) },
  ])
}
