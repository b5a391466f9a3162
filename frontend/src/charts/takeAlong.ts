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

/** What of figures is taken along. */
export interface Figured {
  title: string
  unit?: string
  table: ChartTable
  measured?: Measured
  /** In place of those of the page. */
  footnotes?: readonly Footnote[]
}

/** What of a chart is taken along. */
export interface TakenAlong extends Figured {
  files: readonly MenuItem[]
}

/** What leaves the house besides the figures, read anew at each use. */
function useLeaving(figured: Figured): () => Leaving {
  const beside = useBeside()
  return () => ({
    title: figured.title,
    unit: figured.unit,
    measured: { ...beside().measured, ...figured.measured },
    soFar: beside().soFar,
    footnotes: figured.footnotes ?? beside().footnotes,
    view: location.href,
    date: today(),
  })
}

/** The day that stands beside what is taken along. */
export const today = (): string => new Date().toISOString().slice(0, 10)

function save(leaving: Leaving, address: string, ending: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = `${leavingName(leaving)}.${ending}`
  link.click()
}

function saveText(leaving: Leaving, text: string, type: string, ending: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  save(leaving, address, ending)
  URL.revokeObjectURL(address)
}

/**
 * Takes figures along as CSV, with what stands beside them.
 *
 * @param said what heads them besides, a line each.
 */
export function saveFigures(leaving: Leaving, table: ChartTable, said: readonly string[] = []): void {
  saveText(leaving, csv(table, [leavingTitle(leaving), ...said, ...leavingLines(leaving)]), 'text/csv', 'csv')
}

/** The way to take figures along that have no chart, as CSV. */
export function useFigures(figured: Figured): () => void {
  const leaving = useLeaving(figured)
  return () => saveFigures(leaving(), figured.table)
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
  const leaving = useLeaving(chart)
  const picture = () => ({ ...leaving(), option: draw(PICTURE), palette: palette.value })

  return computed(() => [
    { label: 'Picture, PNG', select: () => save(leaving(), picturePng(picture()), 'png') },
    { label: 'Picture, SVG', select: () => saveText(leaving(), pictureSvg(picture()), 'image/svg+xml', 'svg') },
    { label: 'Figures, CSV', select: () => saveFigures(leaving(), chart.table) },
    ...chart.files,
    { label: 'Link to this chart', select: () => void linkTo(anchor.value) },
  ])
}
