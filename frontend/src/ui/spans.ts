/** What lies between the two ends of a figure of repeats, in words; the only place that says 95 %. */

/** From how many repeats on there is an interval; below, the ends are the least and the greatest repeat. */
const FEWEST_FOR_AN_INTERVAL = 4

export type SpanKind = 'interval' | 'range'

/** Two ends, and what they are of. */
export interface Span {
  kind: SpanKind
  repeats: number
}

export const INTERVAL = '95 % interval'
/** About a line of percentiles; there is none of fewer than four runs. */
export const BAND = '95 % band'
/** About points of which some may have too few repeats. */
export const INTERVALS_OR_RANGES = `${INTERVAL}s, below four repeats their range`

/** The kind of a span of so many repeats, where the API does not name it. */
export function spanKind(repeats: number): SpanKind {
  return repeats < FEWEST_FOR_AN_INTERVAL ? 'range' : 'interval'
}

/** What a span is: `95 % interval`, `range of 2 repeats`, `1 repeat`. */
export function spanWord({ kind, repeats }: Span): string {
  if (kind === 'interval') return INTERVAL
  return repeats === 1 ? '1 repeat' : `range of ${repeats} repeats`
}

/**
 * What the lines of a chart or list are, all of them: `95 % intervals`, `ranges of 2 repeats`; of both kinds,
 * both are named. Empty where there is none.
 */
export function spansWords(spans: readonly Span[]): string {
  const many = spans.filter(({ repeats }) => repeats > 1)
  if (!many.length) return ''
  const ranges = many.filter(({ kind }) => kind === 'range')
  if (!ranges.length) return `${INTERVAL}s`
  if (ranges.length < many.length) return INTERVALS_OR_RANGES
  const counts = ranges.map(({ repeats }) => repeats)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  return `ranges of ${least === most ? least : `${least} to ${most}`} repeats`
}
