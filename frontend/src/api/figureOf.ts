import { FIGURES } from './figures'

/** The key of a figure that has a place in the catalogue. */
export type FigureName = keyof typeof FIGURES

/** How a figure is named, written and judged. */
export interface Figure {
  label: string
  short: string
  unit: string
  scale: 'rate' | 'time' | 'size' | 'flow' | 'share'
  isLatency: boolean
  moreIsBetter: boolean
  note: string
  readAt: number
  /** The load model that leaves it free. */
  primaryOf: 'closed' | 'open' | null
  threshold: number | null
  askedAs: string | null
  inHistory: boolean
}

const PERCENTILE = /^p(?!0+_)(\d\d)(\d{0,5})_us$/

/** A figure by its name: one of the catalogue, or any percentile (`p975_us` is p97.5); undefined for another. */
export function figureOf(name: string): Figure | undefined {
  if (name in FIGURES) return FIGURES[name as FigureName]
  const [, whole, rest] = PERCENTILE.exec(name) ?? []
  if (whole === undefined) return undefined
  const short = rest ? `p${whole}.${rest}` : `p${whole}`
  return { ...FIGURES.p99_us, label: `${short} latency`, short, primaryOf: null, inHistory: false }
}

/** The catalogue in the order that people read figures in. */
export const IN_ORDER: readonly (Figure & { key: FigureName })[] = Object.entries(FIGURES)
  .map(([key, figure]) => ({ key: key as FigureName, ...figure }))
  .sort((a, b) => a.readAt - b.readAt)
