import { lchOf, readToken, systemShade, type Theme } from '@/theme'

/** The colours and fonts a chart is drawn with; always those of the theme that is on. */
export interface Palette {
  sheet: string
  rule: string
  ruleStrong: string
  ink: string
  ink2: string
  ink3: string
  accent: string
  good: string
  bad: string
  caution: string
  info: string
  compound: string
  fontText: string
  fontMono: string
}

/** Fonts as they may stand between double quotes: ECharts writes them into an attribute of its SVG as they are. */
const inAttribute = (fonts: string): string => fonts.replaceAll('"', "'")

/** Reads the palette from the tokens of the page. */
export function readPalette(): Palette {
  return {
    sheet: readToken('sheet'),
    rule: readToken('rule'),
    ruleStrong: readToken('rule-strong'),
    ink: readToken('ink'),
    ink2: readToken('ink-2'),
    ink3: readToken('ink-3'),
    accent: readToken('accent'),
    good: readToken('good'),
    bad: readToken('bad'),
    caution: readToken('caution'),
    info: readToken('info'),
    compound: readToken('compound'),
    fontText: inAttribute(readToken('font-text')) || 'sans-serif',
    fontMono: inAttribute(readToken('font-mono')) || 'monospace',
  }
}

/** The palette of a theme, be it the page's or not; read at once, so that nobody sees the page change. */
export function paletteOf(theme: Theme): Palette {
  const { dataset } = document.documentElement
  const now = dataset['theme']
  dataset['theme'] = theme
  try {
    return readPalette()
  } finally {
    if (now === undefined) delete dataset['theme']
    else dataset['theme'] = now
  }
}

/** How percentiles are drawn, from the body of the distribution to its tail: darker and warmer outwards. */
export const PERCENTILES = [
  { key: 'p50_us', dash: 'solid', tone: 'ink3' },
  { key: 'p99_us', dash: 'solid', tone: 'accent' },
  { key: 'p999_us', dash: 'dashed', tone: 'caution' },
  { key: 'p9999_us', dash: 'dotted', tone: 'bad' },
] as const

/** A colour for each operation, apart from the systems' colours and from each other. */
export function operationColour(operation: string, palette: Palette): string {
  const colours: Record<string, string> = {
    all: palette.ink,
    read: palette.info,
    update: palette.caution,
    insert: palette.good,
    scan: palette.accent,
    read_modify_write: palette.compound,
    delete: palette.bad,
    fill: palette.ink3,
  }
  return colours[operation] ?? palette.ink3
}

/** A system's colour in the shade for the ground that a chart is drawn on. */
export function shadeFor(colour: string, palette: Palette): string {
  return systemShade(colour, lchOf(palette.sheet).lightness < 0.5 ? 'dark' : 'light')
}
