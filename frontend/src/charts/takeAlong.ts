import { computed, ref, type ComputedRef, type Ref } from 'vue'

import type { MenuItem } from '@/ui'

import { useBeside } from './beside'
import type { Size } from './curves'
import type { ChartOption } from './echarts'
import { linkTo } from './links'
import type { Palette } from './palette'
import { headingOf, picturePng, pictureSvg, type Picture } from './picture'
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
/** Of a narrow one, whose legend takes its room, too. */
const LOWEST = 360

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
  sentence?: string
}

/** What somebody wants of a picture, where it is not what the page would choose. */
export interface PictureWanted {
  width: number
  palette: Palette
  heading: string
  source: string
  alternative: string
}

/** A chart as pictures. */
export interface PictureMaker {
  /** What is proposed. */
  heading: () => string
  alternative: () => string
  svg: (wanted: PictureWanted) => string
  save: (wanted: PictureWanted, form: 'png' | 'svg') => void
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

function saveBlob(leaving: Leaving, blob: Blob, ending: string): void {
  const address = URL.createObjectURL(blob)
  save(leaving, address, ending)
  URL.revokeObjectURL(address)
}

const saveText = (leaving: Leaving, text: string, type: string, ending: string): void =>
  saveBlob(leaving, new Blob([text], { type }), ending)

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
  draw: (palette: Palette, size: Size) => ChartOption,
  palette: Ref<Palette>,
): { items: ComputedRef<MenuItem[]>; pictures: PictureMaker; choosing: Ref<boolean> } {
  const leaving = useLeaving(chart)
  const choosing = ref(false)
  const alternative = () => chart.sentence ?? `${chart.title}${chart.unit ? `, ${chart.unit}` : ''}`
  const picture = (wanted?: PictureWanted): Picture => {
    const width = wanted?.width ?? PICTURE.width
    const size = { width, height: Math.max(LOWEST, Math.round((PICTURE.height / PICTURE.width) * width)) }
    const colours = wanted?.palette ?? palette.value
    const words = wanted ?? { alternative: alternative() }
    return { ...leaving(), ...words, ...size, option: draw(colours, size), palette: colours }
  }
  const take = (form: 'png' | 'svg', wanted?: PictureWanted) => {
    const made = picture(wanted)
    const named = { ...made, title: wanted?.heading || made.title }
    if (form === 'png') saveBlob(named, picturePng(made), 'png')
    else saveText(named, pictureSvg(made), 'image/svg+xml', 'svg')
  }
  const pictures: PictureMaker = {
    heading: () => headingOf({ ...picture(), soFar: '' }),
    alternative,
    svg: (wanted) => pictureSvg(picture(wanted)),
    save: (wanted, form) => take(form, wanted),
  }

  const items = computed(() => [
    { label: 'Picture, PNG', select: () => take('png') },
    { label: 'Picture, SVG', select: () => take('svg') },
    { label: 'Picture of another size, theme or title…', select: () => (choosing.value = true) },
    { label: 'Figures, CSV', select: () => saveFigures(leaving(), chart.table) },
    ...chart.files,
    { label: 'Link to this chart', select: () => void linkTo(anchor.value) },
  ])
  return { items, pictures, choosing }
}
