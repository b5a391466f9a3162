import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, URL } from 'node:url'

import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

const made = fileURLToPath(new URL('../node_modules/.weighhouse-fonts', import.meta.url))

/** What of a family's variations is drawn with, and what the family is called then: it is no more what it was. */
interface Cut {
  family: string
  called: string
  axes: Record<string, number | { min: number; max: number }>
}

const cuts: Record<string, Cut> = {
  'source-serif-4': {
    family: 'Source Serif 4 Variable',
    called: 'Weighhouse Serif',
    // Headings and sentences that lead, of 16 to 68 px: one optical size between them.
    axes: { wght: { min: 400, max: 700 }, opsz: 22 },
  },
  'ibm-plex-sans': {
    family: 'IBM Plex Sans Variable',
    called: 'Weighhouse Sans',
    axes: { wght: { min: 400, max: 700 } },
  },
}
/** Figures of one width, and what letters need to stand as they should. */
const features = ['ccmp', 'kern', 'liga', 'lnum', 'locl', 'mark', 'mkmk', 'tnum']
/** № stands on nearly every page, and the fonts keep it in their files of Cyrillic letters: the system's draws it. */
const numberSign = ',U+2116'
const face = /@font-face \{[^}]*url\(\.\/files\/([\w-]+\.woff2)\)[^}]*unicode-range: ([^;]+);[^}]*\}/g
/** What English pages are written in, with their figures: a file of its own, and often the only one that is fetched. */
const everyday = lettersOf(
  'U+20-7E,U+A0,U+B0,U+B1,U+B5,U+B7,U+D7,U+F7,U+2009,U+2013-2014,U+2018-2019,U+201C-201D,U+2026,U+202F,U+2212',
)

/**
 * Cuts the variable fonts down to the letters, weights and optical size that the pages draw: a third of what they
 * weigh. The files are made once for each cut, and kept beside the packages.
 */
export const lighterFonts: Plugin = {
  name: 'lighter-fonts',
  enforce: 'pre',
  async transform(code, id) {
    const found = /@fontsource(?:-variable)?\/([\w-]+)\/[\w-]+\.css/.exec(id)
    if (!found?.[1]) return undefined
    const css = code.replaceAll(numberSign, '')
    const cut = cuts[found[1]]
    if (!cut) return css
    const faces: string[] = []
    for (const [block, file = '', range = ''] of css.matchAll(face)) {
      const source = join(dirname(id), 'files', file)
      for (const letters of parted(lettersOf(range))) {
        const made = await cutDown(source, letters, cut)
        faces.push(block.replace(`./files/${file}`, made).replace(range, rangeOf(letters)))
      }
    }
    if (faces.length === 0) this.error(`${found[1]} names its files in another way than is known here`)
    return faces.join('\n').replaceAll(cut.family, cut.called)
  },
}

async function cutDown(source: string, letters: string[], cut: Cut): Promise<string> {
  const font = readFileSync(source)
  const digest = createHash('sha256')
    .update(font)
    .update(JSON.stringify([letters, cut, features]))
    .digest('hex')
  const file = join(made, `${source.replace(/^.*\/|\.woff2$/g, '')}-${digest.slice(0, 16)}.woff2`)
  if (!existsSync(file)) {
    mkdirSync(made, { recursive: true })
    const wanted = { targetFormat: 'woff2', keepFeatures: features, variationAxes: cut.axes } as const
    writeFileSync(file, await subsetFont(font, letters.join(''), wanted))
  }
  return file
}

/** What is in a file's letters of every day, and what is not. */
function parted(letters: string[]): string[][] {
  const often = letters.filter((letter) => everyday.includes(letter))
  const seldom = letters.filter((letter) => !everyday.includes(letter))
  return [often, seldom].filter((part) => part.length > 0)
}

/** All characters of a CSS `unicode-range`. */
function lettersOf(range: string): string[] {
  return range.split(',').flatMap((part) => {
    const [first = '', last = first] = part.trim().replace(/^U\+/i, '').split('-')
    const begin = parseInt(first, 16)
    return Array.from({ length: parseInt(last, 16) - begin + 1 }, (_, at) => String.fromCodePoint(begin + at))
  })
}

/** Their `unicode-range`, neighbours as one. */
function rangeOf(letters: string[]): string {
  const codes = letters.map((letter) => letter.codePointAt(0) ?? 0)
  const runs: [number, number][] = []
  for (const code of codes) {
    const run = runs.at(-1)
    if (run && code === run[1] + 1) run[1] = code
    else runs.push([code, code])
  }
  return runs.map(([first, last]) => `U+${first.toString(16)}${last > first ? `-${last.toString(16)}` : ''}`).join(',')
}
