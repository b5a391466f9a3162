import { figureOf, type Reproduction, type Reproductions } from '@/api'
import { BY_SCALE, formatRelative, plural, type Tone } from '@/ui'

export type Outcome = Reproduction['outcome']
type CellAgain = Reproduction['cells'][number]

/** How an outcome is called and coloured. */
export const OUTCOMES: Readonly<Record<Outcome, { label: string; tone: Tone; icon: 'check' | 'caution' | 'info' }>> = {
  reproduced: { label: 'Reproduced', tone: 'good', icon: 'check' },
  did_not_reproduce: { label: 'Did not reproduce', tone: 'bad', icon: 'caution' },
  cannot_tell: { label: 'Cannot tell', tone: 'neutral', icon: 'info' },
}

/** How many installations say what, in one sentence; empty where none of others does. */
export function countsInWords(counted: Pick<Reproductions, Outcome>): string {
  const of = (count: number) => plural(count, 'other installation')
  return [
    counted.reproduced ? `reproduced by ${of(counted.reproduced)}` : '',
    counted.did_not_reproduce ? `not reproduced by ${of(counted.did_not_reproduce)}` : '',
    counted.cannot_tell ? `measured again by ${of(counted.cannot_tell)}, of which nothing can be told` : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** A cell's figure before and now, in its unit. */
export function figuresInWords(cell: CellAgain): string {
  const figure = figureOf(cell.figure)
  const written = (value: number) => {
    const shown = figure ? BY_SCALE[figure.scale](value) : { value: String(value), unit: cell.unit }
    return `${shown.value}\u2009${shown.unit}`
  }
  return `${written(cell.original)} → ${written(cell.again)}`
}

/** By how much it differs, with its interval where there is one. */
export function differenceInWords({ relative, low, high }: CellAgain): string {
  const said = formatRelative(relative)
  return low === null || high === null ? said : `${said} (${formatRelative(low)} to ${formatRelative(high)})`
}

/** What a cell's figure is called. */
export const figureName = (name: string): string => figureOf(name)?.short ?? name
