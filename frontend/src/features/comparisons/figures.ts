import type { Comparison, ComparisonSide, Metric } from '@/api'
import type { ChartTable, CurvePoint, CurveSide, Scale } from '@/charts'
import { linearScale, logScale, stepScale } from '@/charts'
import { levelWords } from '@/ui'

import { shortLevel, spanOf } from './loadCurves'
import { metricKind, ticked, written, type MetricKind } from './metrics'

/** What a chart of curves draws, and the same figures as a table. */
export interface Figures {
  sides: CurveSide[]
  x: Scale
  y: Scale
  xName: string
  sentence: string
  table: ChartTable
}

const round = (value: number | null | undefined) =>
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

/** One figure over the load levels, by logarithm: dots with the range of their repeats. */
export function byLevel(
  comparison: Comparison,
  shown: readonly ComparisonSide[],
  workload: string,
  metric: MetricKind,
): Figures {
  const levels = comparison.load_levels
  const rows: (string | number | null)[][] = []
  const values: number[] = []
  const sides = shown.map((side) => ({
    ...nameOf(side),
    points: levels.flatMap((level, at): CurvePoint[] => {
      const cell = cellAt(comparison, side.key, workload, level.label)
      const estimate = cell?.[metric.key]
      if (!cell || !estimate || estimate.median <= 0) return []
      const span = spanOf(cell, metric.key)
      values.push(estimate.median, ...(span ?? []))
      rows.push([
        side.label,
        levelWords(cell.load_level),
        round(estimate.median),
        round(estimate.low),
        round(estimate.high),
        estimate.kind === 'range' ? 'range' : '95 % interval',
        estimate.repeats,
      ])
      return [
        {
          x: at,
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
  }))
  return {
    sides,
    x: stepScale(levels.map((level) => shortLevel(level.label))),
    y: logScale(values, (value) => ticked(metric, value)),
    xName: `${levelsName(comparison)} →`,
    sentence: sentenceOf(sides, metric.label, (value) => written(metric, value)),
    table: {
      columns: ['side', 'load', `median, ${unitOf(metric)}`, 'low', 'high', 'from low to high', 'repeats'],
      rows,
    },
  }
}

/**
 * Scaling efficiency: throughput a client, against that at the side's own smallest load; 100 % is a
 * system that does twice as much for twice the clients. Closed loops without a variant only.
 */
export function scaling(comparison: Comparison, shown: readonly ComparisonSide[], workload: string): Figures {
  const levels = comparison.load_levels.filter(
    (level) => level.kind === 'closed' && /^\d[\d\s,\u2009]* clients?$/.test(level.label),
  )
  const rows: (string | number | null)[][] = []
  const values: number[] = [1]
  const sides = shown.map((side) => {
    const measured = levels.flatMap((level) => {
      const median = cellAt(comparison, side.key, workload, level.label)?.throughput?.median
      return median ? [{ level, median }] : []
    })
    const first = measured[0]
    return {
      ...nameOf(side),
      points: measured.map(({ level, median }): CurvePoint => {
        const efficiency = median / level.value / (first!.median / first!.level.value)
        values.push(efficiency)
        rows.push([side.label, level.label, round(efficiency * 100), round(median / level.value)])
        return {
          x: level.value,
          y: efficiency,
          xRange: null,
          yRange: null,
          label: '',
          ringed: false,
          tip: [
            level.label,
            `${percent(efficiency)} of what each client did at ${first!.level.label}`,
            `${written(metricKind('throughput')!, median / level.value)} a client`,
          ],
        }
      }),
    }
  })
  const lines = sides.filter((side) => side.points.length > 1)
  return {
    sides: lines,
    x: logScale(
      levels.map((level) => level.value),
      (value) => String(Math.round(value * 100) / 100),
    ),
    y: linearScale(values, percent),
    xName: 'clients →',
    sentence: sentenceOf(lines, 'Throughput a client against the smallest load', percent),
    table: { columns: ['side', 'load', 'of the smallest load’s, %', 'op/s a client'], rows: lines.length ? rows : [] },
  }
}

const STAGES: readonly { key: Metric; label: string }[] = [
  { key: 'memory_before_bytes', label: 'empty' },
  { key: 'memory_after_load_bytes', label: 'after the load' },
  { key: 'memory_after_bytes', label: 'after the run' },
]

/** Memory as slopes: of the empty system, loaded, and after the measured phase, at one load level. */
export function memory(
  comparison: Comparison,
  shown: readonly ComparisonSide[],
  workload: string,
  level: string,
): Figures {
  const rows: (string | number | null)[][] = []
  const values: number[] = []
  const kind = metricKind('memory_after_bytes')!
  const sides = shown.map((side) => ({
    ...nameOf(side),
    points: STAGES.flatMap(({ key, label }, at): CurvePoint[] => {
      const cell = cellAt(comparison, side.key, workload, level)
      const estimate = cell?.[key]
      if (!cell || !estimate) return []
      const span = spanOf(cell, key)
      values.push(estimate.median, ...(span ?? []))
      rows.push([side.label, label, round(estimate.median), round(span?.[0]), round(span?.[1]), estimate.repeats])
      return [
        {
          x: at,
          y: estimate.median,
          xRange: null,
          yRange: span,
          label: '',
          ringed: false,
          tip: [label, written(kind, estimate.median)],
        },
      ]
    }),
  }))
  return {
    sides,
    x: stepScale(STAGES.map(({ label }) => label)),
    y: binaryScale(values, (value) => ticked(kind, value)),
    xName: '',
    sentence: sentenceOf(sides, 'Memory', (value) => written(kind, value)),
    table: { columns: ['side', 'when', 'median, bytes', 'least', 'most', 'repeats'], rows },
  }
}

/** A straight axis whose figures are round in the values' own binary unit. */
function binaryScale(values: readonly number[], write: (value: number) => string): Scale {
  const most = Math.max(1, ...values)
  const unit = 1024 ** Math.floor(Math.log(most) / Math.log(1024))
  const scale = linearScale(
    values.map((value) => value / unit),
    (value) => write(value * unit),
  )
  return {
    ...scale,
    min: scale.min * unit,
    max: scale.max * unit,
    ticks: scale.ticks.map((tick) => ({ ...tick, at: tick.at * unit })),
  }
}

const nameOf = (side: ComparisonSide) => ({ key: side.key, name: side.label, colour: side.colour, mark: side.mark })
const percent = (share: number) => `${Math.round(share * 100)}\u2009%`

function sentenceOf(sides: readonly CurveSide[], what: string, write: (value: number) => string): string {
  const told = sides.flatMap(({ name, points }) => {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return []
    return [first === last ? `${name}: ${write(first.y)}` : `${name}: from ${write(first.y)} to ${write(last.y)}`]
  })
  return `${what}. ${told.join('; ')}. A table of all figures can be shown instead.`
}
