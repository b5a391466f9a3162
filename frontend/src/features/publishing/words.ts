import type { Challenge, Decision } from '@/api'
import type { Tone } from '@/ui'

interface Said {
  label: string
  tone: Tone
}

const outcomes: Record<Decision['outcome'], Said> = {
  allowed: { label: 'may be published', tone: 'good' },
  needs_consent: { label: 'takes consent', tone: 'caution' },
  needs_disclosure: { label: 'disclosure has gaps', tone: 'caution' },
  prohibited: { label: 'must not be published', tone: 'bad' },
  unknown: { label: 'terms not known', tone: 'caution' },
}

/** Whether figures may leave, in words. */
export function outcomeWords(outcome: Decision['outcome']): Said {
  return outcomes[outcome]
}

const states: Record<Challenge['state'], Said> = {
  open: { label: 'open', tone: 'caution' },
  answered: { label: 'answered', tone: 'info' },
  upheld: { label: 'upheld', tone: 'bad' },
  rejected: { label: 'rejected', tone: 'neutral' },
  withdrawn: { label: 'withdrawn', tone: 'neutral' },
}

/** Where a challenge stands, in words. */
export function stateWords(state: Challenge['state']): Said {
  return states[state]
}
