import type { IconName } from './icons'
import type { Tone } from './UiBadge.vue'

/** How a state or a verdict is worded and coloured, in one place. */
export interface Wording {
  label: string
  tone: Tone
  icon?: IconName
  live?: boolean
  explanation?: string
}

const verdicts: Record<string, Wording> = {
  passed: { label: 'Passed', tone: 'good', icon: 'check', explanation: 'Nothing got worse beyond its threshold.' },
  equivalent: {
    label: 'Equivalent',
    tone: 'good',
    icon: 'check',
    explanation: 'Every interval lies inside its practical threshold.',
  },
  regression: {
    label: 'Regression',
    tone: 'bad',
    icon: 'caution',
    explanation: 'A figure got worse beyond its threshold, and the interval excludes 0.',
  },
  inconclusive: {
    label: 'Inconclusive',
    tone: 'caution',
    icon: 'info',
    explanation: 'The spread is wider than the difference; more repeats are needed.',
  },
  infrastructure: {
    label: 'Infrastructure',
    tone: 'caution',
    icon: 'caution',
    explanation: 'Runs failed for reasons that are not the system’s.',
  },
  refused: {
    label: 'Refused',
    tone: 'caution',
    icon: 'caution',
    explanation: 'The system refused what was asked: the right is missing, or it is a replica, read-only or full.',
  },
  no_baseline: { label: 'No base', tone: 'neutral', explanation: 'There is no earlier campaign to compare with.' },
  not_comparable: {
    label: 'Not comparable',
    tone: 'caution',
    icon: 'caution',
    explanation:
      'Under one name something else was measured, or on another kind of machine; the message names the field.',
  },
  changed: { label: 'Changed', tone: 'accent' },
  insufficient: { label: 'Insufficient', tone: 'neutral', icon: 'info', explanation: 'Fewer than 5 repeats a side.' },
}

const states: Record<string, Wording> = {
  queued: { label: 'Queued', tone: 'neutral' },
  allocated: { label: 'Allocated', tone: 'info' },
  running: { label: 'Running', tone: 'accent', live: true },
  settling: { label: 'Settling', tone: 'accent', live: true },
  completed: { label: 'Completed', tone: 'good', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'cancel' },
  cancelled: { label: 'Cancelled', tone: 'neutral', icon: 'cancel' },
  paused: { label: 'Paused', tone: 'caution', icon: 'pause' },
  online: { label: 'Online', tone: 'good', icon: 'check' },
  busy: { label: 'Busy', tone: 'accent', live: true },
  unreachable: { label: 'Unreachable', tone: 'bad', icon: 'caution' },
  draining: { label: 'Draining', tone: 'caution', icon: 'pause' },
  revoked: { label: 'Revoked', tone: 'neutral', icon: 'cancel' },
}

/** Wording of a campaign's or a difference's verdict. */
export function verdictWording(verdict: string): Wording {
  return verdicts[verdict] ?? { label: verdict, tone: 'neutral' }
}

/** Wording of the state of a campaign, run, attempt or agent. */
export function stateWording(state: string): Wording {
  return states[state] ?? { label: state, tone: 'neutral' }
}
