import type { Comparison, ComparisonSide } from '@/api'
import type { ChartTable, CurveFit, CurvePoint, CurveSide, Scale } from '@/charts'
import { logScale, stepScale } from '@/charts'
import { levelWords, spanWord } from '@/ui'

import { lineOf, shortLevel, spanOf } from './loadCurves'
import { ticked, written, type MetricKind } from './metrics'

/** What a chart of curves draws, and the same figures as a table. */
export interface Figures {
  sides: CurveSide[]
  x: Scale
  y: Scale
  xName: string
  fits?: CurveFit[]
  sentence: string
  table: ChartTable
}

/** A figure as a table has it: six digits. */
export const round = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Number(value.toPrecision(6))
const unitOf = (metric: MetricKind) =>
  metric.key.endsWith('_us') ? 'µs' : metric.key.endsWith('bytes') ? 'bytes' : 'op/s'

function cellAt(comparison: Comparison, side: string, workload: string, level: string) {
  return comparison.cells.find(
    (cell) => cell.side === side && cell.workload === workload && cell.load_level.label === level,
  )
}

/** What the load levels count. */
export function levelsName(comparison: Pick<Comparison, 'load_levels'>): string {
  return comparison.load_levels.every((level) => level.kind === 'closed') ? 'clients' : 'load'
}

/** Whether all levels are steps of one ladder: then they have their places on an axis by logarithm. */
function laddered(levels: Comparison['load_levels']): boolean {
  return new Set(levels.map((level) => level.kind)).size === 1 && levels.every((level) => !level.own && level.value > 0)
}

/**
 * One figure over the load levels, by logarithm: lines with the range of their repeats. Loads that differ in more
 * than their clients or rate are lines of their own; where some load is another one for each side, loads are steps.
 */
export function byLevel(
  comparison: Comparison,
  shown: readonly ComparisonSide[],
  workload: string,
  metric: MetricKind,
): Figures {
  const levels = comparison.load_levels
  const ladder = laddered(levels)
  const variants = ladder ? [...new Set(levels.map(lineOf))] : ['']
  const rows: (string | number | null)[][] = []
  const values: number[] = []
  const sides = shown.flatMap((side) =>
    variants.map((variant) => ({
      ...nameOf(side, variant),
      points: levels.flatMap((level, at): CurvePoint[] => {
        const cell = cellAt(comparison, side.key, workload, level.label)
        const estimate = cell?.figures[metric.key]
        if (!cell || !estimate || estimate.median <= 0 || (ladder && lineOf(level) !== variant)) return []
        const span = spanOf(cell, metric.key)
        values.push(estimate.median, ...(span ?? []))
        rows.push([
          side.label,
          levelWords(cell.load_level),
          round(estimate.median),
          round(estimate.low),
          round(estimate.high),
          spanWord(estimate),
          estimate.repeats,
        ])
        return [
          {
            x: ladder ? level.value : at,
            y: estimate.median,
            xRange: null,
            yRange: span,
            label: '',
            ringed: false,
            tip: [
              levelWords(cell.load_level),
              `${metric.label}: ${written(metric, estimate.median)}`,
              ...(span ? [`repeats ${written(metric, span[0])} to ${written(metric, span[1])}`] : []),
            ],
          },
        ]
      }),
    })),
  )
  return {
    sides: variants.length > 1 ? sides.filter((side) => side.points.length) : sides,
    x: ladder ? logScale(loadsOf(levels), loadTick, true) : stepScale(levels.map(stepName)),
    y: logScale(values, (value) => ticked(metric, value)),
    xName: `${levelsName(comparison)} →`,
    sentence: sentenceOf(sides, metric.label, (value) => written(metric, value)),
    table: {
      columns: ['side', 'load', `median, ${unitOf(metric)}`, 'low', 'high', 'from low to high', 'repeats'],
      rows,
    },
  }
}

const loadsOf = (levels: Comparison['load_levels']) => levels.map((level) => level.value)
/** A load on an axis: `8`, `25k`. */
export const loadTick = (value: number): string =>
  value >= 10_000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(3)))
const stepName = (level: Comparison['load_levels'][number]) => (level.own ? level.label : shortLevel(level.label))

/** How a line of a side is named and drawn. */
export const nameOf = (side: ComparisonSide, variant = '') => ({
  key: side.key,
  name: variant ? `${side.label}, ${variant}` : side.label,
  colour: side.colour,
  mark: side.mark,
})

/** A chart of lines in one sentence: where each begins and ends. */
export function sentenceOf(sides: readonly CurveSide[], what: string, write: (value: number) => string): string {
  const told = sides.flatMap(({ name, points }) => {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return []
    return [first === last ? `${name}: ${write(first.y)}` : `${name}: from ${write(first.y)} to ${write(last.y)}`]
  })
  return `${what}. ${told.join('; ')}. A table of all figures can be shown instead.`
}
