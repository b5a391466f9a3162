/** Arithmetic of colours: sRGB, OKLab (Björn Ottosson, 2020), WCAG contrast, deuteranopia. Pure. */

/** Red, green and blue in linear light, 0 to 1. */
type Rgb = readonly [number, number, number]
/** Lightness 0 to 1, chroma, and hue in radians. */
export interface Lch {
  lightness: number
  chroma: number
  hue: number
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const encoded = (part: number): number => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)
const within = (part: number): number => Math.min(1, Math.max(0, part))

/** Linear light of `#rrggbb` or `#rgb`; black when it is neither. */
function rgbOf(hex: string): Rgb {
  const digits = hex.replace('#', '')
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
  const value = /^[0-9a-f]{6}$/i.test(full) ? parseInt(full, 16) : 0
  return [linear((value >> 16) / 255), linear(((value >> 8) & 255) / 255), linear((value & 255) / 255)]
}

function hexOf(rgb: Rgb): string {
  const digits = rgb.map((part) =>
    Math.round(encoded(within(part)) * 255)
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${digits.join('')}`
}

function lchOfRgb([r, g, b]: Rgb): Lch {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const c = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
  return { lightness, chroma: Math.hypot(a, c), hue: Math.atan2(c, a) }
}

function rgbOfLch({ lightness, chroma, hue }: Lch): Rgb {
  const a = chroma * Math.cos(hue)
  const b = chroma * Math.sin(hue)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

/** A colour's lightness, chroma and hue. */
export function lchOf(hex: string): Lch {
  return lchOfRgb(rgbOf(hex))
}

/** The colour of a lightness, chroma and hue; as much of the chroma as a screen can show. */
export function hexOfLch(lch: Lch): string {
  const shown = (rgb: Rgb): boolean => rgb.every((part) => part >= -0.0005 && part <= 1.0005)
  let chroma = lch.chroma
  while (chroma > 0 && !shown(rgbOfLch({ ...lch, chroma }))) chroma -= 0.002
  return hexOf(rgbOfLch({ ...lch, chroma: Math.max(0, chroma) }))
}

function luminance(hex: string): number {
  const [r, g, b] = rgbOf(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance). */
export function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** A colour as somebody sees it whose eyes lack the medium cones (Machado, Oliveira, Fernandes 2009). */
export function deuteranopia(hex: string): string {
  const [r, g, b] = rgbOf(hex)
  return hexOf([
    0.367322 * r + 0.860646 * g - 0.227968 * b,
    0.280085 * r + 0.672501 * g + 0.047413 * b,
    -0.01182 * r + 0.04294 * g + 0.968881 * b,
  ])
}

/** CIE L*a*b* under D65. */
function lab(hex: string): [number, number, number] {
  const [r, g, b] = rgbOf(hex)
  const f = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 / 116) * t + 16 / 116)
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b)
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** How different two colours are: ΔE*ab (CIE 1976); about 2 can just be told apart side by side. */
export function difference(one: string, other: string): number {
  const [a, b] = [lab(one), lab(other)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

/**
 * A ramp of colours whose lightness goes in even steps, for quantities: the eye sees twice the step
 * as twice the difference.
 *
 * @param ends colours of the least and the most; the hue turns from one to the other.
 */
export function ramp(ends: readonly [string, string], steps: number): string[] {
  const [from, to] = [lchOf(ends[0]), lchOf(ends[1])]
  const turn = Math.atan2(Math.sin(to.hue - from.hue), Math.cos(to.hue - from.hue))
  return Array.from({ length: steps }, (_, at) => {
    const share = steps === 1 ? 1 : at / (steps - 1)
    return hexOfLch({
      lightness: from.lightness + share * (to.lightness - from.lightness),
      // Fullest in the middle, as a screen can show it there.
      chroma: from.chroma + share * (to.chroma - from.chroma) + 0.08 * Math.sin(Math.PI * share),
      hue: from.hue + share * turn,
    })
  })
}
