/** How much a figure must move, relative to where it began, before it is said to move. */
const MOVES = 0.02

/**
 * A figure along an axis, in a sentence: `p99 of Redis rises from 58 µs at 1 client to 1.4 ms at 8`.
 *
 * @param points where it stands, in order, in words, and its value; points without one are passed over.
 */
export function alongInWords(
  what: string,
  points: readonly { at: string; value: number | null }[],
  write: (value: number) => string,
): string {
  const known = points.filter((point): point is { at: string; value: number } => point.value !== null)
  const first = known[0]
  const last = known.at(-1)
  if (!first || !last) return `${what}: nothing was measured.`
  if (first === last) return `${what} is ${write(first.value)} at ${first.at}.`
  const moved = first.value === 0 ? Math.sign(last.value) : (last.value - first.value) / Math.abs(first.value)
  const verb = Math.abs(moved) < MOVES ? 'stays' : moved > 0 ? 'rises' : 'falls'
  return verb === 'stays'
    ? `${what} stays near ${write(first.value)} from ${first.at} to ${last.at}.`
    : `${what} ${verb} from ${write(first.value)} at ${first.at} to ${write(last.value)} at ${last.at}.`
}

/** A figure over time, in a sentence: where it lies, and how long. */
export function rangeInWords(
  what: string,
  values: readonly (number | null)[],
  write: (value: number) => string,
  over: string,
): string {
  const known = values.filter((value): value is number => value !== null).sort((a, b) => a - b)
  const middle = known[Math.floor(known.length / 2)]
  if (middle === undefined) return `${what}: nothing was measured.`
  const [least, most] = [known[0] ?? middle, known.at(-1) ?? middle]
  return `${what} over ${over}: mostly ${write(middle)}, from ${write(least)} to ${write(most)}.`
}
