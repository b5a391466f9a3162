import { scaleLog } from 'd3-scale'

/** A side's figure against its baseline's: 0.5 is half of it, 2 twice as much. */
export interface Ratio {
  ratio: number
  low: number
  high: number
}

/** An axis of ratios by their logarithm, so that half and double are equally far from the same. */
export interface RatioAxis {
  /** Ends, as ratios. */
  low: number
  high: number
  ticks: readonly { ratio: number; at: number; text: string }[]
  /** Place of a ratio, from 0 at the left end to 1 at the right one; beyond them where it overflows. */
  place: (ratio: number) => number
}

/** Where an interval stands on an axis; what leaves it has an arrow, and is never said to end there. */
export interface RatioMark {
  /** Ends that are drawn, from 0 to 1. */
  from: number
  to: number
  /** The figure itself; null where it leaves the axis. */
  at: number | null
  overflowLeft: boolean
  overflowRight: boolean
}

const STEPS = [1.01, 1.02, 1.05, 1.1, 1.25, 1.5, 2, 4, 8, 10, 100, 1000]
const MOST_TICKS = 7
const ROOM = 1.06

/**
 * The axis of some ratios: every ratio has its place on it, and intervals as far as they go twice
 * beyond the farthest ratio; longer ones overflow, so that one wild interval does not press all others
 * into a dot.
 */
export function ratioAxis(ratios: readonly Ratio[]): RatioAxis {
  const told = ratios.filter((one) => one.ratio > 0 && Number.isFinite(one.ratio))
  const farthest = Math.max(1.02, ...told.map((one) => Math.max(one.ratio, 1 / one.ratio)))
  const reach = farthest ** 2 < 2 * farthest ? farthest ** 2 : 2 * farthest
  const least = Math.min(1 / 1.02, ...told.map((one) => Math.max(one.low, one.ratio / reach)))
  const most = Math.max(1.02, ...told.map((one) => Math.min(one.high, one.ratio * reach)))
  const low = least / ROOM ** Math.min(1, Math.log2(most / least))
  const high = most * ROOM ** Math.min(1, Math.log2(most / least))
  const scale = scaleLog().domain([low, high]).range([0, 1])
  return { low, high, ticks: ticksOf(low, high, scale), place: (ratio) => (ratio > 0 ? scale(ratio) : -Infinity) }
}

/** Where a ratio's interval stands on an axis. */
export function ratioMark(one: Ratio, axis: RatioAxis): RatioMark {
  const [from, at, to] = [one.low, one.ratio, one.high].map(axis.place) as [number, number, number]
  return {
    from: Math.max(0, Math.min(1, from)),
    to: Math.max(0, Math.min(1, to)),
    at: at >= 0 && at <= 1 ? at : null,
    overflowLeft: from < 0,
    overflowRight: to > 1,
  }
}

/**
 * A ratio in words of its own, in one notation however large it is: `×2.40`, `×1.025`, `÷3.10`, `×1` for the same.
 */
export function writeRatio(ratio: number): string {
  if (!Number.isFinite(ratio) || ratio <= 0) return '–'
  const written = figures(Math.max(ratio, 1 / ratio))
  return Number(written) === 1 ? '×1' : `${ratio >= 1 ? '×' : '÷'}${written}`
}

function figures(value: number): string {
  if (value < 1.1) return value.toFixed(3)
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function ticksOf(low: number, high: number, place: (ratio: number) => number): RatioAxis['ticks'] {
  const step = STEPS.find((one) => Math.log(high / low) / Math.log(one) <= MOST_TICKS) ?? 10_000
  const ticks = [{ ratio: 1, at: place(1), text: 'same' }]
  for (let ratio = step; ratio <= high; ratio *= step) ticks.push({ ratio, at: place(ratio), text: tickText(ratio) })
  for (let ratio = 1 / step; ratio >= low; ratio /= step)
    ticks.unshift({ ratio, at: place(ratio), text: tickText(ratio) })
  return ticks
}

function tickText(ratio: number): string {
  const more = ratio >= 1 ? ratio : 1 / ratio
  return `${ratio >= 1 ? '×' : '÷'}${Number(more.toPrecision(3))}`
}
