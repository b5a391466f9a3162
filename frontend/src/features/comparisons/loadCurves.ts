import type { Comparison, ComparisonCell, ComparisonSide, LoadLevel, ScaledLine } from '@/api'
import type { CurvePoint, CurveSide } from '@/charts'
import { formatLoad, levelWords } from '@/ui'

import { metricKind, written } from './metrics'

/** A side's cell of one load level, with its figures. */
export interface LoadPoint {
  cell: ComparisonCell
  label: string
  throughput: number
  latency: number
}

/** The points of one side under one kind of load, by rising load. */
export interface LoadLine {
  side: ComparisonSide
  /** What the load has besides a number (`pipeline 10`); empty mostly. */
  variant: string
  points: LoadPoint[]
}

/** Below this share more, throughput counts as no longer growing. */
const STANDSTILL = 0.05

/** What a load level is besides its number of clients: `300 clients, pipeline 10` → `pipeline 10`. */
export function variantOf(label: string): string {
  return label.replace(/^[\d\s.,\u2009]+\s*(clients?|op\/s|operations? per second)?/, '').replace(/^[,\s]+/, '')
}

/** A load level's number alone, as it stands beside a mark. */
export function shortLevel(label: string): string {
  return label.match(/^[\d\s.,\u2009]*\d(\s?[kM](?=\b))?/)?.[0].trim() ?? label
}

/** Which line of its side a level is on: one that is another load for each side stands alone, whatever it is called. */
export function lineOf(level: LoadLevel): string {
  return level.own ? level.label : variantOf(level.label)
}

/** The lines of one workload: throughput and one latency at each load level that has both. */
export function loadLines(
  comparison: Pick<Comparison, 'cells' | 'load_levels'>,
  sides: readonly ComparisonSide[],
  workload: string,
  latency: string,
): LoadLine[] {
  const variants = [...new Set(comparison.load_levels.map(lineOf))]
  return sides.flatMap((side) =>
    variants.flatMap((variant) => {
      const points = comparison.load_levels
        .filter((level) => lineOf(level) === variant)
        .sort((a, b) => a.value - b.value)
        .flatMap((level) => {
          const cell = comparison.cells.find(
            (one) => one.side === side.key && one.workload === workload && one.load_level.label === level.label,
          )
          const [x, y] = [cell?.figures.throughput?.median, cell?.figures[latency]?.median]
          return cell && x && y
            ? [
                {
                  cell,
                  label: shortLevel(level.own ? formatLoad(cell.load_level) : level.label),
                  throughput: x,
                  latency: y,
                },
              ]
            : []
        })
      return points.length ? [{ side, variant, points }] : []
    }),
  )
}

/**
 * Where a line is saturated: the first load after which throughput grows no further (less than 5 % at any
 * higher load) while latency does.
 *
 * @returns its place among the points; null where throughput still grows at the highest load.
 */
export function saturationOf(points: readonly Pick<LoadPoint, 'throughput' | 'latency'>[]): number | null {
  const found = points.findIndex((point, at) => {
    const later = points.slice(at + 1)
    return (
      later.length > 0 &&
      later.every((one) => one.throughput < point.throughput * (1 + STANDSTILL)) &&
      later.every((one) => one.latency > point.latency)
    )
  })
  return found < 0 ? null : found
}

/** The highest load of one side inside an envelope. */
export interface InsideEnvelope {
  side: ComparisonSide
  variant: string
  /** Null: no load that was measured stays inside. */
  best: LoadPoint | null
  /** Whether every load that was measured stays inside: it might do more. */
  all: boolean
  /** Whether some repeat of the best leaves the envelope. */
  doubtful: boolean
}

/**
 * The highest throughput of each line at which a latency stays within `limit` µs. Only what was measured
 * counts: nothing is read off between two points.
 */
export function insideEnvelope(lines: readonly LoadLine[], latency: string, limit: number): InsideEnvelope[] {
  return lines.map(({ side, variant, points }) => {
    const inside = points.filter((point) => point.latency <= limit)
    const best = inside.reduce<LoadPoint | null>(
      (found, point) => (!found || point.throughput > found.throughput ? point : found),
      null,
    )
    const worst = Math.max(0, ...(best?.cell.repeats.map((repeat) => repeat.figures[latency] ?? 0) ?? []))
    return { side, variant, best, all: inside.length === points.length, doubtful: worst > limit }
  })
}

/** An envelope to begin with: 1 ms where that divides the points, else a round figure among them. */
export function firstEnvelope(latencies: readonly number[]): number {
  const sorted = latencies.filter((value) => value > 0).sort((a, b) => a - b)
  const [least, most] = [sorted[0], sorted.at(-1)]
  if (least === undefined || most === undefined) return 1000
  if (least < 1000 && most > 1000) return 1000
  const middle = sorted[Math.floor(sorted.length / 2)]!
  const rounds = [1, 2, 5, 10].map((one) => one * 10 ** Math.floor(Math.log10(middle)))
  return rounds.reduce((best, one) =>
    Math.abs(Math.log(one / middle)) < Math.abs(Math.log(best / middle)) ? one : best,
  )
}

/** An envelope one step up or down: two figures, spaced evenly by logarithm. */
export function stepEnvelope(limit: number, steps: number): number {
  const moved = 10 ** (Math.log10(limit) + steps / 20)
  return roundEnvelope(moved)
}

/** An envelope as it is written: two figures that matter. */
export function roundEnvelope(limit: number): number {
  return Number(limit.toPrecision(2))
}

/** Whether a load is the knee of its line. */
export type IsKnee = (line: LoadLine, point: LoadPoint) => boolean

/** The knees that the server found of one workload. */
export function kneeAmong(told: readonly ScaledLine[], workload: string): IsKnee {
  return (line, { cell }) =>
    told.some(
      (one) =>
        one.side === line.side.key &&
        one.workload === workload &&
        one.load_kind === cell.load_level.kind &&
        one.knee === cell.load_level.label,
    )
}

/** The lines as a chart draws them; their knees are ringed. */
export function curvesOf(lines: readonly LoadLine[], latency: string, isKnee: IsKnee = () => false): CurveSide[] {
  const throughputKind = metricKind('throughput')!
  const latencyKind = metricKind(latency)!
  return lines.map((line) => {
    const { side, variant, points } = line
    const saturated = saturationOf(points)
    return {
      name: variant ? `${side.label}, ${variant}` : side.label,
      key: side.key,
      colour: side.colour,
      mark: side.mark,
      points: points.map((point, at): CurvePoint => {
        const spans = (metric: string) => spanOf(point.cell, metric)
        const told = (kind: typeof latencyKind, metric: string, value: number) => {
          const span = spans(metric)
          return `${kind.label}: ${written(kind, value)}${
            span ? `, repeats ${written(kind, span[0])} to ${written(kind, span[1])}` : ''
          }`
        }
        return {
          x: point.throughput,
          y: point.latency,
          xRange: spans('throughput'),
          yRange: spans(latency),
          label: point.label,
          ringed: isKnee(line, point),
          tip: [
            levelWords(point.cell.load_level),
            told(throughputKind, 'throughput', point.throughput),
            told(latencyKind, latency, point.latency),
            ...(isKnee(line, point) ? ['Knee: throughput over response time is greatest'] : []),
            ...(at === saturated ? ['Saturated: more load only waits longer'] : []),
          ],
        }
      }),
    }
  })
}

/** From the least to the greatest repeat of a figure; null where one alone or none has it. */
export function spanOf(cell: ComparisonCell, metric: string): [number, number] | null {
  const values = cell.repeats.flatMap((repeat) => repeat.figures[metric] ?? [])
  return values.length > 1 ? [Math.min(...values), Math.max(...values)] : null
}

/** A chart of load curves in one sentence. */
export function curvesSentence(lines: readonly LoadLine[], latency: string): string {
  const kind = metricKind(latency)!
  const throughput = metricKind('throughput')!
  const told = lines.flatMap(({ side, variant, points }) => {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return []
    const name = variant ? `${side.label}, ${variant}` : side.label
    const at = (point: LoadPoint) =>
      `${written(throughput, point.throughput)} at ${written(kind, point.latency)} ` +
      `with ${levelWords(point.cell.load_level)}`
    return [first === last ? `${name}: ${at(first)}` : `${name}: from ${at(first)} to ${at(last)}`]
  })
  return `${kind.label} against throughput. ${told.join('; ')}. A table of all figures can be shown instead.`
}
