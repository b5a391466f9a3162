import type { Comparison, PublishedCell, PublishedFigure, PublishedSide } from '@/api'
import type { CurvePoint, CurveSide } from '@/charts'
import { loadWords } from '@/features/sources'

import { metricKind, written } from './metrics'

/** Letters of a title that a name on a chart has room for. */
const LONGEST_TITLE = 28

/** The published sides of a comparison, filled in as the server sends them. */
export const publishedSides = (comparison: Pick<Comparison, 'published'> | undefined): PublishedSide[] =>
  (comparison?.published ?? []) as PublishedSide[]

/** What a published side is called beside ours: never by its system's name alone. */
export function publishedName(side: PublishedSide): string {
  const { title } = side.source
  const short = title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1).trimEnd()}…` : title
  return `${side.label}, published: ${short}`
}

/** Where cells of a published side stand: under which workload of ours. */
export interface Placement {
  /** As the source calls it. */
  theirs: string
  /** Empty: under none, so that nothing of it is drawn. */
  ours: string
  /** Whether both are called the same. */
  same: boolean
}

/** A choice of where a published workload stands, as the address has it. */
export const placedEntry = (key: string, theirs: string, ours: string): string =>
  [key, theirs, ours].map(encodeURIComponent).join('|')

function chosen(placed: readonly string[], key: string, theirs: string): string | undefined {
  const wanted = placedEntry(key, theirs, '')
  const entry = placed.find((one) => one.startsWith(wanted))
  return entry === undefined ? undefined : decodeURIComponent(entry.slice(wanted.length))
}

const plain = (text: string) => text.trim().toLowerCase()

/**
 * The workloads of a published side, each with the one of ours that it stands under: the one of that name, else the
 * only one there is, unless somebody chose another.
 */
export function placements(side: PublishedSide, workloads: readonly string[], placed: readonly string[]): Placement[] {
  return [...new Set(side.cells.map((cell) => cell.workload))].map((theirs) => {
    const same = workloads.find((one) => plain(one) === plain(theirs))
    const given = chosen(placed, side.key, theirs)
    const found = given ?? same ?? (workloads.length === 1 ? workloads[0]! : '')
    const ours = found === '' || workloads.includes(found) ? found : ''
    return { theirs, ours, same: ours !== '' && ours === same }
  })
}

function pairsOf(cell: PublishedCell, latency: string): { x: PublishedFigure; y: PublishedFigure }[] {
  const known = (figure: PublishedFigure) => figure.value !== null && figure.value > 0
  const figures = cell.figures.filter(known)
  const throughputs = figures.filter((one) => one.figure === 'throughput')
  const latencies = figures.filter((one) => one.figure === latency)
  const whole = latencies.filter((one) => one.operation === 'all')
  return (whole.length ? whole : latencies).flatMap((y) => {
    const x =
      throughputs.find((one) => one.operation === 'all' && one.setting === y.setting) ??
      throughputs.find((one) => one.operation === y.operation && one.setting === y.setting)
    return x ? [{ x, y }] : []
  })
}

/**
 * Published cells as a chart of load curves draws them, under one workload of ours: a line for each operation that the
 * source tells the latency of. A point takes both figures; the others stand in the table alone.
 */
export function publishedCurves(
  comparison: Pick<Comparison, 'published' | 'workloads'>,
  workload: string,
  latency: string,
  placed: readonly string[],
): CurveSide[] {
  const [throughputKind, latencyKind] = [metricKind('throughput')!, metricKind(latency)!]
  return publishedSides(comparison).flatMap((side) => {
    const theirs = placements(side, comparison.workloads, placed)
      .filter((one) => one.ours === workload)
      .map((one) => one.theirs)
    const lines = new Map<string, CurvePoint[]>()
    for (const cell of side.cells.filter((one) => theirs.includes(one.workload)))
      for (const { x, y } of pairsOf(cell, latency)) {
        const of = [y.operation === 'all' ? '' : y.operation, y.setting].filter(Boolean).join(', ')
        const point: CurvePoint = {
          x: x.value!,
          y: y.value!,
          xRange: null,
          yRange: null,
          label: cell.load.clients === null ? '' : String(cell.load.clients),
          ringed: false,
          tip: [
            [cell.workload || 'workload not told', loadWords(cell.load)].join(', '),
            `${throughputKind.label}: ${x.printed || written(throughputKind, x.value)}`,
            `${latencyKind.label}${of ? ` of ${of}` : ''}: ${y.printed || written(latencyKind, y.value)}`,
            `Published, not measured here: ${side.source.title}`,
          ],
        }
        lines.set(of, [...(lines.get(of) ?? []), point])
      }
    return [...lines].map(([of, points]) => ({
      key: side.key,
      name: of ? `${publishedName(side)}, ${of}` : publishedName(side),
      colour: side.colour,
      mark: side.mark,
      points: points.sort((a, b) => Number(a.label) - Number(b.label)),
      isPublished: true,
    }))
  })
}
