import type { StudyClaim } from '@/api'
import type { IconName, Tone } from '@/ui'

export type ClaimVerdict = StudyClaim['verdict']

interface Wording {
  tone: Tone
  icon: IconName
  /** What it means, for who meets it the first time. */
  explanation: string
}

/** How verdicts on claims look; a claim that does not hold is nobody's fault, and is not red. */
export const verdicts: Record<ClaimVerdict, Wording> = {
  holds_here: {
    tone: 'good',
    icon: 'check',
    explanation: 'What was measured here agrees, beyond what noise explains.',
  },
  does_not_hold_here: {
    tone: 'accent',
    icon: 'cancel',
    explanation: 'What was measured here says otherwise, beyond what noise explains.',
  },
  cannot_be_true_as_printed: {
    tone: 'caution',
    icon: 'caution',
    explanation: 'The printed figures contradict the claim, or themselves, whatever they were rounded from.',
  },
  cannot_tell: {
    tone: 'info',
    icon: 'info',
    explanation: 'It was measured here, and the noise leaves it open; more repeats may decide it.',
  },
  not_measured: {
    tone: 'neutral',
    icon: 'dots',
    explanation: 'Something that the claim speaks of was not measured here.',
  },
}
