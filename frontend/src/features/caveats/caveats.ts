import type { Caveat } from '@/api'
import type { Footnote } from '@/charts'
import { plural } from '@/ui'

/** What a caveat that is looked at concerns: nothing named means all that is shown. */
export interface Concerned {
  sides: readonly string[]
  runs: readonly string[]
}

/** How many runs it concerns: `90 of 90 runs`; empty where it does not come out of several runs. */
export function countOf(caveat: Caveat): string {
  return caveat.runs_of > 1 ? `${caveat.runs.length} of ${plural(caveat.runs_of, 'run')}` : ''
}

/** What a chip says: the short form, and how many runs it concerns. */
export function chipText(caveat: Caveat): string {
  return [caveat.short, countOf(caveat)].filter(Boolean).join(' · ')
}

/** The same where there is room for all of it: a title that the short form cuts off is whole. */
export function chipInFull(caveat: Caveat): string {
  return chipText(caveat.short.endsWith('…') ? { ...caveat, short: caveat.title } : caveat)
}

/** Caveats as pictures and tables that leave the house carry them: a short form and a text each. */
export function footnotes(caveats: readonly Caveat[]): Footnote[] {
  return caveats.map((one) => ({ short: chipText(one), text: `${one.title}: ${one.text}` }))
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
