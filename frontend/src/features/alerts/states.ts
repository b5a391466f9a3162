import type { AlertState } from '@/api'
import type { IconName, Tone } from '@/ui'

/** How a state of alerts is worded, coloured and reached by key. */
export interface StateWording {
  label: string
  tone: Tone
  icon?: IconName
  key?: string
  explanation: string
}

export const STATES: Readonly<Record<AlertState, StateWording>> = {
  untriaged: { label: 'Untriaged', tone: 'accent', explanation: 'Nobody has looked at it.' },
  acknowledged: { label: 'Acknowledged', tone: 'info', key: 'a', explanation: 'Somebody looks into it.' },
  noise: { label: 'Noise', tone: 'neutral', key: 'n', explanation: 'Nothing happened: the measurement scatters.' },
  infrastructure: {
    label: 'Infrastructure',
    tone: 'neutral',
    key: 'i',
    explanation: 'The machine or the network, not what is measured.',
  },
  expected: { label: 'Expected', tone: 'neutral', key: 'e', explanation: 'It was meant to be so.' },
  downstream: { label: 'Downstream', tone: 'neutral', key: 'd', explanation: 'Another alert explains it.' },
  wont_fix: { label: 'Won’t fix', tone: 'neutral', key: 'w', explanation: 'It is true, and stays so.' },
  fixed: { label: 'Fixed', tone: 'good', key: 'f', icon: 'check', explanation: 'It was mended.' },
}

export const OPEN: readonly AlertState[] = ['untriaged', 'acknowledged']

/** Which states a choice of the queue shows; undefined: all. */
export function statesOf(choice: string): AlertState[] | undefined {
  if (choice === 'open') return [...OPEN]
  return choice in STATES ? [choice as AlertState] : undefined
}

/** The state that a key gives; `downstream` needs to be told of what, and has a field instead. */
export const STATE_OF_KEY: ReadonlyMap<string, AlertState> = new Map(
  (Object.entries(STATES) as [AlertState, StateWording][]).flatMap(([state, wording]) =>
    wording.key && state !== 'downstream' ? [[wording.key, state] as const] : [],
  ),
)

/** What the keys of the queue do, in the order they are explained. */
export const KEYS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['j', 'k'], does: 'next, previous alert' },
  { keys: ['Enter', 'o'], does: 'open it: read on in its details' },
  { keys: ['Esc'], does: 'back to the list' },
  ...[...STATE_OF_KEY].map(([key, state]) => ({ keys: [key], does: STATES[state].label.toLowerCase() })),
  { keys: ['d'], does: 'to “Downstream of …”: the alert that explains it is chosen there' },
  { keys: ['m'], does: 'assign to me' },
  { keys: ['z'], does: 'undo the last triage' },
  { keys: ['/'], does: 'search' },
  { keys: ['?'], does: 'show these keys' },
]
