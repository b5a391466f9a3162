import { scaleLog } from 'd3-scale'

import { figureOf, type StudyFigure, type StudySide } from '@/api'
import { BY_SCALE, spanWord, type Shown } from '@/ui'

/** A line of a group: one cell as it is printed and as it was measured, with its places on the group's axis. */
export interface FigureLine {
  key: string
  side: StudySide | undefined
  load: string
  setting: string
  place: string
  /** As the text has it, with its unit; empty where it has none. */
  printed: string
  ours: string
  interval: string
  /** Places from 0 to 1; null where there is no figure. */
  at: { printed: number | null; ours: number | null; low: number | null; high: number | null }
  /** In one sentence, for those who do not see the axis. */
  sentence: string
}

/** Lines of one figure and workload, on one axis. */
export interface FigureGroup {
  key: string
  workload: string
  label: string
  lines: FigureLine[]
  /** What stands under the axis, with its place. */
  ticks: { at: number; text: string }[]
}

/** A figure in its own unit. */
export function shownFigure(figure: string, value: number): Shown {
  return BY_SCALE[figureOf(figure)?.scale ?? 'rate'](value)
}

function text(figure: string, value: number): string {
  const shown = shownFigure(figure, value)
  return `${shown.value} ${shown.unit}`
}

/** All figures of a study by figure and workload, printed ones and ours on one logarithmic axis. */
export function grouped(figures: readonly StudyFigure[], sides: readonly StudySide[]): FigureGroup[] {
  const byGroup = new Map<string, StudyFigure[]>()
  for (const one of figures) {
    const key = `${one.figure} ${one.workload}`
    const group = byGroup.get(key)
    if (group) group.push(one)
    else byGroup.set(key, [one])
  }
  return [...byGroup].map(([key, mine]) => group(key, mine, sides))
}

function group(key: string, figures: readonly StudyFigure[], sides: readonly StudySide[]): FigureGroup {
  const [first] = figures
  const figure = first?.figure ?? ''
  const values = figures
    .flatMap((one) => [one.value, one.ours?.median, one.ours?.low, one.ours?.high])
    .filter((value): value is number => typeof value === 'number' && value > 0)
  const scale = scaleLog()
    .domain([Math.min(...values, Infinity), Math.max(...values, 0)])
    .nice()
  const place = (value: number | null | undefined): number | null => {
    if (!value || value <= 0) return null
    const at = scale(value)
    return Number.isFinite(at) ? at : 0.5
  }
  const [low, high] = scale.domain() as [number, number]
  const ticks = [low, Math.sqrt(low * high), high].filter((value) => Number.isFinite(value) && value > 0)
  return {
    key,
    workload: first?.workload ?? '',
    label: figureOf(figure)?.label ?? figure,
    lines: figures.map((one, index) => line(one, index, sides, place)),
    ticks: ticks.map((value, index) => ({ at: index / 2, text: text(figure, value) })),
  }
}

function line(
  one: StudyFigure,
  index: number,
  sides: readonly StudySide[],
  place: (value: number | null | undefined) => number | null,
): FigureLine {
  const side = sides.find((each) => each.name === one.side)
  const { figure, ours } = one
  const interval =
    ours && ours.repeats > 1 ? `${spanWord(ours)} ${text(figure, ours.low)} to ${text(figure, ours.high)}` : ''
  const printed = one.value === null ? '' : text(figure, one.value)
  const said = [
    printed && `printed ${one.printed ?? printed}`,
    ours ? `measured here ${text(figure, ours.median)}, ${interval || spanWord(ours)}` : 'not measured here',
  ]
  return {
    key: `${String(index)} ${one.side} ${one.load} ${one.setting}`,
    side,
    load: one.load,
    setting: one.setting,
    place: one.place,
    printed: one.printed ?? '',
    ours: ours ? text(figure, ours.median) : '',
    interval,
    at: {
      printed: place(one.value),
      ours: place(ours?.median),
      low: place(ours?.low),
      high: place(ours?.high),
    },
    sentence: `${side?.label ?? one.side}, ${one.load}: ${said.filter(Boolean).join('; ')}`,
  }
}
