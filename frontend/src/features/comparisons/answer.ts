import type { Caveat, Lead, Reading } from '@/api'

import type { PlacedSide } from './view'

/** A piece of a sentence; what is strong stands out of it. */
export interface Part {
  text: string
  strong: boolean
}

const COUNTS = String.raw`all \d+ cells|\d+ of \d+|[×÷]\d[\d.]*`

/**
 * A sentence in pieces: counts, ratios and these names stand out.
 *
 * @param names labels of sides that the sentence is about.
 */
export function partsOf(sentence: string, names: readonly string[] = []): Part[] {
  // The longest first: one name may begin another.
  const longest = names.filter(Boolean).sort((a, b) => b.length - a.length)
  const escaped = longest.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const strong = new RegExp(`(${[...escaped, COUNTS].join('|')})`)
  return sentence
    .split(strong)
    .map((text, at) => ({ text, strong: at % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

/**
 * Who does most inside the envelope: `Garnet does most: 412k op/s in balanced, 410k op/s in scans`.
 *
 * @param found of each workload: who, the workload, how much.
 */
export function mostInside(found: readonly (readonly [string, string, string])[]): string {
  const names = [...new Set(found.map(([name]) => name))]
  return names
    .map((name) => {
      const much = found.filter(([who]) => who === name).map(([, workload, value]) => `${value} in ${workload}`)
      return `${name} does most: ${much.join(', ')}`
    })
    .join('; ')
}

/** A side in the list under the lead. */
export interface AnswerLine {
  key: string
  side: PlacedSide
  /** `1st in 8 of 12 cells`; empty where nobody was ranked. */
  place: string
  leads: boolean
  /** Null of the baseline, which the others are set against. */
  reading: Reading | null
}

/** From so many sides on, each is told in short and the baseline has a line of its own. */
export const MANY = 4

/** Whether sides are told in short: many of them, all against one baseline. */
export function inShort(lead: Lead, shown: readonly PlacedSide[]): boolean {
  return shown.length >= MANY && lead.kind !== 'by_target'
}

/**
 * The sides on show by their place, each with what may be said of it against its baseline: those that
 * lead first. Where they are told in whole sentences, these name the baseline, and it has no line.
 */
export function answerLines(lead: Lead, readings: readonly Reading[], shown: readonly PlacedSide[]): AnswerLine[] {
  const places = lead.standings.map((one) => one.side)
  const placeOf = (side: PlacedSide) => (places.includes(side.key) ? places.indexOf(side.key) : places.length)
  return shown
    .flatMap((side) => {
      const reading = readings.find((one) => one.side === side.key && one.load_kind === lead.load_kind) ?? null
      if (!reading && !(side.isBaseline && inShort(lead, shown))) return []
      const standing = lead.standings.find((one) => one.side === side.key)
      const place = standing?.words ?? ''
      return [{ key: side.key, side, place, leads: lead.leaders.includes(side.key), reading }]
    })
    .sort((a, b) => placeOf(a.side) - placeOf(b.side))
}

/**
 * What must be known before a lead is believed: the first caution that is of the leaders alone, else the first
 * of all; null where there is none. Bars stand in full elsewhere.
 */
export function gravestOf(caveats: readonly Caveat[], leads: readonly Pick<Lead, 'leaders'>[]): Caveat | null {
  const cautions = caveats.filter((one) => one.severity === 'caution')
  const leaders = new Set(leads.flatMap((lead) => lead.leaders))
  const theirs = cautions.find((one) => one.sides.length > 0 && one.sides.every((side) => leaders.has(side)))
  return theirs ?? cautions[0] ?? null
}
