import type { Tone } from '@/ui'

/** What a licence's clause on benchmarks means for a reader. */
export interface PolicyWording {
  label: string
  tone: Tone
  explanation: string
}

const policies: Record<string, PolicyWording> = {
  open: {
    label: 'Open',
    tone: 'good',
    explanation: 'Results may be published.',
  },
  open_with_conditions: {
    label: 'Open on conditions',
    tone: 'good',
    explanation: 'Results may be published while the conditions are kept.',
  },
  open_with_disclosure: {
    label: 'Open with disclosure',
    tone: 'good',
    explanation: 'Results may be published together with a full disclosure.',
  },
  consent_required: {
    label: 'Consent required',
    tone: 'caution',
    explanation: 'Results stay inside the organization until the vendor agrees.',
  },
  prohibited: {
    label: 'Prohibited',
    tone: 'bad',
    explanation: 'The licence forbids publishing results.',
  },
  unknown: {
    label: 'Unknown',
    tone: 'caution',
    explanation: 'The terms could not be read: results stay inside the organization.',
  },
}

/** Words for a benchmark clause's policy. */
export function policyWording(policy: string): PolicyWording {
  return policies[policy] ?? { label: policy, tone: 'neutral', explanation: '' }
}
