import { figureOf, type NoiseFloor } from '@/api'
import { formatRelative } from '@/ui'

/** A figure's name for people. */
export function figureName(metric: string): string {
  return figureOf(metric)?.short ?? metric
}

/** A relative size without its sign: `1.8 %`; a dash where it is not known. */
export function sizeText(size: number | null): string {
  return size === null ? '–' : formatRelative(size).replace('+', '')
}

/** What is said in place of a floor while there is none. */
export function floorText(floor: NoiseFloor): string {
  return floor.floor === null ? `${floor.pairs} of 10 pairs` : sizeText(floor.floor)
}

/**
 * The course of a floor as points of an SVG polyline: time from left to right by campaign, the
 * median difference of each, and 0 at the bottom.
 *
 * @param values one for each campaign, relative.
 * @param width of the picture, as its height in its own units.
 */
export function courseOf(values: readonly number[], width: number, height: number): string {
  const top = Math.max(...values, 1e-9)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, index) => `${(index * step).toFixed(1)},${(height - (value / top) * height).toFixed(1)}`)
    .join(' ')
}
