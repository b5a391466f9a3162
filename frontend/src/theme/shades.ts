import { contrast, deuteranopia, difference, hexOfLch, lchOf } from './colours'
import type { Theme } from './theme'

/** The darkest ground of light pages, and the lightest of dark ones: sheets and what is sunk into them. */
const GROUNDS: Record<Theme, readonly string[]> = {
  light: ['#fdfdfb', '#f3f5f1', '#e9ece6'],
  dark: ['#0f1413', '#171d1b'],
}
/** WCAG 2.2, 1.4.11: what is needed to understand a graphic. */
const LEAST_CONTRAST = 3.05
/** Below it, two colours are told apart by their marks. */
const LEAST_DIFFERENCE = 10
const STEP = 0.005

const shades = new Map<string, string>()

/**
 * A system's colour in the shade for a theme: its hue, light or dark enough to be seen on every
 * ground of the pages. A colour that can be seen is left as its manifest has it.
 */
export function systemShade(colour: string, theme: Theme): string {
  const key = `${theme} ${colour}`
  let shade = shades.get(key)
  if (shade === undefined) {
    const seen = (hex: string): boolean => GROUNDS[theme].every((ground) => contrast(hex, ground) >= LEAST_CONTRAST)
    const lch = lchOf(colour)
    const way = theme === 'light' ? -STEP : STEP
    shade = colour
    for (let { lightness } = lch; !seen(shade) && lightness > 0 && lightness < 1; lightness += way)
      shade = hexOfLch({ ...lch, lightness })
    shades.set(key, shade)
  }
  return shade
}

/** Whether two colours are too near each other for somebody without medium cones, and need their marks. */
export function alike(one: string, other: string): boolean {
  return difference(deuteranopia(one), deuteranopia(other)) < LEAST_DIFFERENCE
}

/** For lines that are drawn over one of a system, in their order (Okabe & Ito, 2008). */
const OVER = ['#0072B2', '#CC79A7', '#009E73', '#E69F00', '#56B4E9', '#7E57C2'] as const

/** The colour of a line among several: the first has its system's, so that it stays what it is elsewhere. */
export function seriesColour(at: number, system: string, theme: Theme): string {
  if (at === 0) return systemShade(system, theme)
  const free = OVER.filter((colour) => !alike(colour, system))
  return systemShade(free[(at - 1) % free.length] ?? OVER[0], theme)
}
