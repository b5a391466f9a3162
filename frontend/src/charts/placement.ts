/** A rectangle in pixels; y grows downwards. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** A text that wants to stand beside one of some points. */
export interface Label {
  /** Points it may stand at, the best first. */
  anchors: readonly { x: number; y: number }[]
  width: number
  height: number
  /** From the point to the text. */
  gap: number
  /** Whether it is left out where it would lie on another text. */
  optional: boolean
  /** Whether an optional one is left out where it would touch anything but a line. */
  bare?: boolean
  /** What it names, and what else a reader may take it for: it stands nearer to the first where it can. */
  among?: { own: readonly Box[]; others: readonly Box[] }
}

/** Where a label stands: its upper left corner, and the point it belongs to. */
export interface Placed {
  x: number
  y: number
  anchor: { x: number; y: number }
  /** Which of its points that is. */
  at: number
  /** Whether it had to stand so far off that a line should lead to its point. */
  far: boolean
}

const ON_TEXT = 60
const ON_MARK = 14
const ON_LINE = 1
/** For each pixel that a label stands nearer to something else than to what it names. */
const NEARER_ELSEWHERE = 60
const FAR = 14
const DIRECTIONS = [
  [1, 0],
  [0, -1],
  [-1, 0],
  [0, 1],
  [0.8, -0.8],
  [0.8, 0.8],
  [-0.8, -0.8],
  [-0.8, 0.8],
] as const

/**
 * Places labels beside their points, so that texts do not lie on each other: one after the other, each
 * where it covers least of the texts before it, of marks and of lines, and is nearest to its point.
 *
 * @param labels the more important first.
 * @param marks boxes of the points' marks.
 * @param lines boxes along the lines; to lie on one is a blemish, not a fault.
 * @param bounds no text leaves it.
 * @returns a place for each label, null for optional ones without one.
 */
export function placeLabels(
  labels: readonly Label[],
  marks: readonly Box[],
  lines: readonly Box[],
  bounds: Box,
): (Placed | null)[] {
  const texts: Box[] = []
  return labels.map((label) => {
    const reach = label.optional ? [0, 5] : [0, 6, 16, 30, 46, 64, 84]
    let best: { placed: Placed; box: Box; cost: number; covered: number } | null = null
    label.anchors.forEach((anchor, rank) => {
      for (const extra of reach)
        for (const [right, down] of DIRECTIONS) {
          const away = label.gap + extra
          const box = {
            x: anchor.x + right * away + ((right > 0 ? 0 : right < 0 ? -1 : -0.5) * label.width || 0),
            y: anchor.y + down * away + ((down > 0 ? 0 : down < 0 ? -1 : -0.5) * label.height || 0),
            width: label.width,
            height: label.height,
          }
          if (!within(box, bounds)) continue
          // Nothing below is negative: what costs too much already is not looked at further.
          const limit = (best as { cost: number } | null)?.cost ?? Infinity
          let cost = 4 * extra + 12 * rank + (right <= 0 ? 2 : 0)
          if (cost >= limit) continue
          const covered = total(box, texts)
          const onMarks = total(box, marks)
          cost += ON_TEXT * covered + ON_MARK * onMarks
          if (cost >= limit) continue
          cost += ON_LINE * total(box, lines)
          if (cost >= limit) continue
          cost += NEARER_ELSEWHERE * nearerElsewhere(box, label)
          if (cost >= limit) continue
          best = {
            placed: { x: box.x, y: box.y, anchor, at: rank, far: extra > FAR },
            box,
            cost,
            covered: covered + onMarks,
          }
        }
    })
    const found = best as { placed: Placed; box: Box; covered: number } | null
    if (!found || (label.optional && found.covered > (label.bare ? 0 : 0.12 * label.width * label.height))) return null
    texts.push(found.box)
    return found.placed
  })
}

/** How many pixels nearer a box is to another line than to its label's own; 0 where it is not. */
function nearerElsewhere(box: Box, { among }: Label): number {
  return among ? Math.max(0, nearest(box, among.own) - nearest(box, among.others)) : 0
}

/** From a box to the nearest of some, px; 0 where it touches one. */
export function nearest(box: Box, others: readonly Box[]): number {
  return others.reduce((least, other) => {
    const across = Math.max(0, other.x - box.x - box.width, box.x - other.x - other.width)
    const down = Math.max(0, other.y - box.y - box.height, box.y - other.y - other.height)
    return Math.min(least, Math.hypot(across, down))
  }, Infinity)
}

/**
 * Places in a column, each as near to where it wants to be as the others allow.
 *
 * @param wanted upper edges, in any order.
 * @param gap from one upper edge to the next, at least.
 * @param low @param high the first and the last upper edge there may be; where all of them do not fit,
 *     they stand closer.
 * @returns upper edges in the order of `wanted`.
 */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, at) => at).sort((a, b) => wanted[a]! - wanted[b]! || a - b)
  const apart = Math.min(gap, wanted.length > 1 ? (high - low) / (wanted.length - 1) : gap)
  const found = [...wanted]
  order.forEach((at, place) => {
    const above = place ? found[order[place - 1]!]! + apart : low
    found[at] = Math.max(wanted[at]!, above)
  })
  ;[...order].reverse().forEach((at, place) => {
    const below = place ? found[order[order.length - place]!]! - apart : high
    found[at] = Math.min(found[at]!, below)
  })
  return found
}

/** By how many square pixels two boxes lie on each other. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return width > 0 && height > 0 ? width * height : 0
}

/** Boxes along a line from point to point. */
export function alongLine(points: readonly { x: number; y: number }[]): Box[] {
  return points.slice(1).flatMap((to, at) => {
    const from = points[at]!
    const steps = Math.max(1, Math.min(200, Math.round(Math.hypot(to.x - from.x, to.y - from.y) / 6)))
    return Array.from({ length: steps + 1 }, (_, step) => ({
      x: from.x + ((to.x - from.x) * step) / steps - 1.5,
      y: from.y + ((to.y - from.y) * step) / steps - 1.5,
      width: 3,
      height: 3,
    }))
  })
}

function within(box: Box, bounds: Box): boolean {
  return (
    box.x >= bounds.x &&
    box.y >= bounds.y &&
    box.x + box.width <= bounds.x + bounds.width &&
    box.y + box.height <= bounds.y + bounds.height
  )
}

function total(box: Box, others: readonly Box[]): number {
  return others.reduce((sum, other) => sum + overlap(box, other), 0)
}
