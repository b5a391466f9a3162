import type { Caveat } from '@/api'
import type { Footnote } from '@/charts'
import { formatCount, plural } from '@/ui'

/** What a caveat that is looked at concerns: nothing named means all that is shown. */
export interface Concerned {
  sides: readonly string[]
  runs: readonly string[]
}

/** How many runs it concerns: `90 of 90 runs`; empty where it does not come out of several runs. */
export function countOf(caveat: Caveat): string {
  return caveat.runs_of > 1 ? `${formatCount(runsCount(caveat))} of ${plural(caveat.runs_of, 'run')}` : ''
}

/** How many runs it concerns; what a shared page kept before they were counted names all of them. */
export function runsCount(caveat: Caveat): number {
  const { runs_count: counted }: { runs_count?: number } = caveat
  return counted ?? caveat.runs.length
}

/** What a chip says: the short form, and how many runs it concerns. */
export function chipText(caveat: Caveat): string {
  return [caveat.short, countOf(caveat)].filter(Boolean).join(' · ')
}

/** The same where there is room for all of it: a title that the short form cuts off is whole. */
export function chipInFull(caveat: Caveat): string {
  return chipText(caveat.short.endsWith('…') ? { ...caveat, short: caveat.title } : caveat)
}

/**
 * What the chips of a list say, by caveat: where two would say the same, the sides tell them apart.
 *
 * @param labels of sides, by key.
 * @param write what one says alone.
 */
export function chipTexts(
  caveats: readonly Caveat[],
  labels: Readonly<Record<string, string>> = {},
  write: (caveat: Caveat) => string = chipText,
): ReadonlyMap<string, string> {
  const texts = caveats.map((one) => write(one))
  const twice = new Set(texts.filter((text, at) => texts.indexOf(text) !== at))
  return new Map(
    caveats.map((one, at) => {
      const text = texts[at] ?? ''
      const sides = one.sides.map((key) => labels[key] ?? key.split('~').at(-1) ?? key)
      return [one.id, twice.has(text) && sides.length ? `${text} · ${sides.join(', ')}` : text]
    }),
  )
}

/** Caveats as pictures and tables that leave the house carry them: a short form and a text each. */
export function footnotes(caveats: readonly Caveat[]): Footnote[] {
  const texts = chipTexts(caveats)
  return caveats.map((one) => ({ short: texts.get(one.id) ?? '', text: `${one.title}: ${one.text}` }))
}

/** Those that are never folded, those of a chip each, and those that stand behind one chip together. */
export function arranged(caveats: readonly Caveat[], mostNotes = 2) {
  const notes = caveats.filter((one) => one.severity === 'note')
  const folded = notes.length > mostNotes
  return {
    bars: caveats.filter((one) => one.severity === 'bar'),
    chips: caveats.filter((one) => one.severity === 'caution' || (one.severity === 'note' && !folded)),
    notes: folded ? notes : [],
  }
}
