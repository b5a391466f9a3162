import type { Headline } from '@/api'
import type { Tone } from '@/ui'

/** How what the judge says of a campaign is coloured. */
export const TONES: Record<Headline['tone'], Tone> = {
  told: 'accent',
  open: 'neutral',
  caution: 'caution',
  bad: 'bad',
}
