import { figureOf, type AnswerOf } from '@/api'
import { BY_SCALE, courseWords, writtenAs } from '@/ui'

export type Found = AnswerOf<'GET /api/v1/search'>
export type Group = Found['groups'][number]
export type Hit = Group['items'][number]
export type Kind = Group['kind']

/** What a kind is called, as a heading. */
export const KINDS: Readonly<Record<Kind, string>> = {
  experiment: 'Experiments',
  campaign: 'Campaigns',
  commit: 'Commits',
  series: 'Series',
  system: 'Systems',
  parameter: 'Parameters',
  study: 'Studies',
  report: 'Reports',
  source: 'Published results',
  note: 'Notes',
  help: 'Help',
}

/** Groups in the order in which people look for them: series are many, and alike. */
export function inOrder(groups: readonly Group[]): Group[] {
  const late = groups.filter(({ kind }) => kind === 'series')
  const others = groups.filter(({ kind }) => kind !== 'series')
  const help = others.findIndex(({ kind }) => kind === 'help')
  return help < 0 ? [...others, ...late] : [...others.slice(0, help), ...late, ...others.slice(help)]
}

/** A page that is gone to by its name. */
export interface Place<T> {
  label: string
  to: T
}

/** Places whose names have words that begin with all words of a text; all of them while there is none. */
export function placesNamed<P extends { label: string }>(places: readonly P[], said: string): P[] {
  const words = said.toLowerCase().split(/\s+/).filter(Boolean)
  return places.filter(({ label }) => {
    const own = label.toLowerCase().split(/\s+/)
    return words.every((word) => own.some((one) => one.startsWith(word)))
  })
}

/** What the line of an experiment's nights shows, in words. */
export function nightsWords({ figure, series, values }: NonNullable<Hit['nights']>): string {
  const known = figureOf(figure)
  const written = (value: number) => (known ? writtenAs(BY_SCALE[known.scale](value)) : String(value))
  return `${known?.label ?? figure} of ${series}: ${courseWords(values, written)}`
}
