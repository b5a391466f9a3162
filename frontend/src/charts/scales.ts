import { scaleLinear, scaleLog } from 'd3-scale'

/** An axis whose values have places on it: straight in proportion, by logarithm, or step by step. */
export interface Scale {
  kind: 'log' | 'linear' | 'steps'
  /** Ends, as places. */
  min: number
  max: number
  /** Places that are labelled, and their texts. */
  ticks: readonly { at: number; text: string }[]
  /** Places of the unlabelled marks between. */
  minor: readonly number[]
  /** Where a value stands; NaN where it has no place (0 on a logarithm's axis). */
  place: (value: number) => number
}

const MOST_LABELS = 6
const ROOM = 0.04
/** Steps that are asked for on a low chart; it gets two to five. */
const FEW = 3

/**
 * A logarithmic axis around some values, with round figures for labels: the decades, and
 * between them 3, or 2 and 5, where there are few.
 *
 * @param values those to be shown; none, 0 and less are passed over.
 * @param write a label's text.
 * @param whole label whole numbers alone: of what is counted there is no half.
 */
export function logScale(values: readonly number[], write: (value: number) => string, whole = false): Scale {
  const seen = values.filter((value) => value > 0 && Number.isFinite(value))
  const [least, most] = seen.length ? [Math.min(...seen), Math.max(...seen)] : [1, 10]
  // Equal values, or nearly so, stand in the middle of an octave.
  const narrow = most / least < 2
  const [low, high] = narrow ? [least / Math.SQRT2, most * Math.SQRT2] : [least, most]
  const room = Math.max(ROOM * Math.log10(high / low), 0.02)
  const min = Math.log10(low) - room
  const max = Math.log10(high) + room
  const scale = scaleLog().domain([10 ** min, 10 ** max])
  const all = scale.ticks(24).filter((tick) => !whole || Math.abs(tick - Math.round(tick)) < 1e-9)
  const leading = (tick: number) => Number((tick / 10 ** Math.floor(Math.log10(tick) + 1e-9)).toFixed(6))
  const decades = all.filter((tick) => leading(tick) === 1)
  const fives = all.filter((tick) => [1, 2, 5].includes(leading(tick)))
  const threes = all.filter((tick) => [1, 3].includes(leading(tick)))
  const labelled =
    [fives, threes, decades].find((some) => some.length >= 2 && some.length <= MOST_LABELS) ??
    (decades.length >= 2 ? decades : all.filter((_, at) => at % Math.ceil(all.length / MOST_LABELS) === 0))
  const places = new Set(labelled)
  return {
    kind: 'log',
    min,
    max,
    ticks: labelled.map((tick) => ({ at: Math.log10(tick), text: write(tick) })),
    minor: all.filter((tick) => !places.has(tick)).map(Math.log10),
    place: (value) => (value > 0 ? Math.log10(value) : NaN),
  }
}

/** A straight axis from 0 around some values, with round figures for labels. */
export function linearScale(values: readonly number[], write: (value: number) => string): Scale {
  const scale = scaleLinear()
    .domain([0, Math.max(0, ...values) || 1])
    .nice(5)
  const [min, max] = scale.domain() as [number, number]
  return {
    kind: 'linear',
    min,
    max,
    ticks: scale.ticks(5).map((tick) => ({ at: tick, text: write(tick) })),
    minor: [],
    place: (value) => value,
  }
}

/**
 * The upper end of an axis from 0, and its steps, so that every label is a round figure.
 *
 * @param highest the highest value to be shown; it gets a little room above it.
 * @param base 1024 for bytes: steps are round in KiB, MiB, …
 */
export function roundScale(highest: number, base: 1000 | 1024 = 1000): { max: number; interval: number } {
  const room = highest > 0 ? highest * (1 + ROOM) : 1
  const unit = base ** Math.floor(Math.log(room) / Math.log(base))
  const scale = scaleLinear()
    .domain([0, room / unit])
    .nice(FEW)
  const [, max] = scale.domain() as [number, number]
  const [, step] = scale.ticks(FEW) as [number, number]
  return { max: max * unit, interval: step * unit }
}

/** An axis of named steps: step `i` stands at `i`. */
export function stepScale(names: readonly string[]): Scale {
  return {
    kind: 'steps',
    min: -0.5,
    max: Math.max(0, names.length - 1) + 0.5,
    ticks: names.map((text, at) => ({ at, text })),
    minor: [],
    place: (value) => value,
  }
}
