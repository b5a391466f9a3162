import {
  courseOf,
  type HistoryChange,
  type HistoryGap,
  type HistoryLine,
  type HistoryPoint,
  type NoiseBand,
} from './history'

/** Neighbouring points between which nothing happened: what may be joined by a line. */
export type Joined = readonly HistoryPoint[]

/** What interrupts a history, whichever line is drawn. */
export interface Interruptions {
  changes: readonly Pick<HistoryChange, 'at' | 'kind'>[]
  gaps?: readonly Pick<HistoryGap, 'at'>[] | undefined
}

/** Where something new begins: each instant is of the first point after it, or lies before that. */
export function breaksOf({ changes, gaps = [] }: Interruptions): string[] {
  // A drift is a course of its own, not the end of one.
  const shifts = changes.filter((change) => change.kind !== 'drift')
  return [...shifts, ...gaps].map((one) => one.at)
}

/**
 * A line in stretches: no two points of one are parted by a step, a change of noise, a gap, or
 * another machine. Whatever joins points is drawn within one of them.
 */
export function joinedOf(line: Pick<HistoryLine, 'points'>, breaks: readonly string[]): Joined[] {
  const instants = breaks.map((at) => Date.parse(at)).sort((a, b) => a - b)
  const stretches: HistoryPoint[][] = []
  for (const point of courseOf(line)) {
    const before = stretches.at(-1)?.at(-1)
    if (before && !isParted(before, point, instants)) stretches.at(-1)?.push(point)
    else stretches.push([point])
  }
  return stretches
}

function isParted(before: HistoryPoint, after: HistoryPoint, breaks: readonly number[]): boolean {
  if (before.segment !== after.segment) return true
  if (before.place && after.place && before.place !== after.place) return true
  const [from, to] = [Date.parse(before.at), Date.parse(after.at)]
  return breaks.some((at) => at > from && at <= to)
}

/** A band where it has points: of its segment and machine, stretch by stretch. */
export function bandPieces(band: NoiseBand, stretches: readonly Joined[]): { from: string; to: string }[] {
  const [begin, end] = [Date.parse(band.starts_at), Date.parse(band.ends_at)]
  return stretches.flatMap((stretch) => {
    const mine = stretch.filter((point) => {
      const at = Date.parse(point.at)
      return at >= begin && at <= end && isOf(point, band)
    })
    const [first, last] = [mine[0], mine.at(-1)]
    return first && last ? [{ from: first.at, to: last.at }] : []
  })
}

function isOf(point: HistoryPoint, band: NoiseBand): boolean {
  const here = band.segment === undefined || point.segment === band.segment
  return here && (!band.place || !point.place || point.place === band.place)
}

/** Where a drift's line begins and ends within a stretch, at the level it has there. */
export interface DriftPiece {
  from: readonly [at: string, level: number]
  to: readonly [at: string, level: number]
}

/**
 * A drift in pieces, one a stretch in which it has two points or more.
 *
 * It begins and ends at the judge's levels, and grows evenly from point to point of its segment
 * (by logarithms where all levels have one); what steps between put into the difference is theirs.
 */
export function driftPieces(
  drift: HistoryChange,
  line: HistoryLine,
  stretches: readonly Joined[],
  changes: readonly HistoryChange[],
): DriftPiece[] {
  const segment = line.points.find((point) => point.at === drift.at)?.segment
  const begin = Date.parse(drift.at)
  const end = drift.until === undefined ? Infinity : Date.parse(drift.until)
  const points = courseOf(line).filter((point) => {
    const at = Date.parse(point.at)
    return at >= begin && at <= end && point.segment === segment
  })
  const within = changes.filter((one) => {
    const at = Date.parse(one.at)
    return one.confirmed && (one.kind === 'step' || one.kind === 'moved') && at > begin && at <= end
  })
  const levels = [drift, ...within].flatMap((one) => [one.before, one.after])
  const logarithmic = levels.every((level) => level > 0)
  const [inward, outward] = logarithmic ? [Math.log, Math.exp] : [Number, Number]
  const height = (one: HistoryChange): number => inward(one.after) - inward(one.before)
  const steps = within.reduce((sum, one) => sum + height(one), 0)
  const slope = (height(drift) - steps) / Math.max(1, points.length - 1)
  const level = (point: HistoryPoint): number => {
    const passed = within.filter((one) => Date.parse(one.at) <= Date.parse(point.at))
    return outward(passed.reduce((sum, one) => sum + height(one), inward(drift.before) + slope * points.indexOf(point)))
  }
  const drawn = new Set(points)
  return stretches.flatMap((stretch) => {
    const mine = stretch.filter((point) => drawn.has(point))
    const [first, last] = [mine[0], mine.at(-1)]
    if (!first || !last || first === last) return []
    return [{ from: [first.at, level(first)] as const, to: [last.at, level(last)] as const }]
  })
}
