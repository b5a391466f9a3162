/** Geometry of the live lines: pure, so that it can be tried without a browser. */

/** Points of a polyline in a box of the given size; the newest value stands at the right edge. */
export interface Trace {
  points: string
  top: number
}

/**
 * Lays values out from right to left, one step a second, scaled to their own maximum.
 *
 * @param values oldest first.
 * @param capacity how many values fill the width.
 * @param width of the box, px.
 * @param height of the box, px.
 * @returns the `points` attribute, and the value at the top edge.
 */
export function traceOf(values: readonly number[], capacity: number, width: number, height: number): Trace {
  const shown = values.slice(-capacity)
  const top = niceCeiling(Math.max(0, ...shown))
  const step = width / Math.max(1, capacity - 1)
  const points = shown
    .map((value, index) => {
      const x = width - (shown.length - 1 - index) * step
      const y = top > 0 ? height - (Math.max(0, value) / top) * height : height
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
  return { points, top }
}

/** The next of 1, 2, 2.5, 5, 10 × 10ⁿ at or above a value. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 0
  const magnitude = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * magnitude >= value) ?? 10
  return step * magnitude
}
