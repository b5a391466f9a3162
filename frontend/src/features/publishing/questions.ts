import type { CampaignDisclosure, Challenge, VendorReply } from '@/api'

import type { Asked } from './AskDialog.vue'
import { stepsOf, type Values } from './queries'

/** A dialog that asks for what one step takes. */
export interface Question {
  title: string
  text: string
  action: string
  fields: Asked[]
  step: (said: Values) => Promise<unknown>
}

const DAYS: Asked = { name: 'days', label: 'Days', initial: '30', hint: 'After which it ends by itself.' }

/** The dialogs of a campaign's disclosure. */
export function questionsOf(disclosure: CampaignDisclosure) {
  const steps = stepsOf(disclosure.campaign_id)
  const names = disclosure.systems
  const nameOf = (id: string) => names[id] ?? id
  const system = (initial: string, whole = false): Asked => ({
    name: 'system_id',
    label: 'System',
    kind: 'choice',
    optional: whole,
    initial,
    options: [
      ...(whole ? [{ value: '*', label: 'the whole campaign' }] : []),
      ...Object.entries(names).map(([value, label]) => ({ value, label })),
    ],
  })
  /** Nobody's figures go to a vendor whom a list put first. */
  const only = Object.keys(names).length === 1 ? Object.keys(names)[0]! : ''
  return {
    consent: (systemId: string): Question => ({
      title: `The consent of ${nameOf(systemId)}’s vendor`,
      text: 'Who agreed to what, when, and where that is written. It lets figures leave, and stands in the audit log.',
      action: 'Record the consent',
      fields: [
        { name: 'given_by', label: 'Who agreed', hint: 'Name and office, for the vendor.' },
        { name: 'covers', label: 'What was agreed to', kind: 'long' },
        { name: 'given_on', label: 'On', hint: 'For example `2026-11-22`.' },
        { name: 'expires_on', label: 'Until', optional: true, hint: 'For example `2027-11-22`.' },
        { name: 'document_url', label: 'Where it is written', hint: 'An address that begins with `https://`.' },
        {
          name: 'scope',
          label: 'It covers',
          kind: 'choice',
          options: [
            { value: 'campaign', label: 'this campaign' },
            { value: 'project', label: 'every campaign of the project' },
          ],
        },
      ],
      step: (said) =>
        steps.consent({
          ...said,
          system_id: systemId,
          edition_id:
            disclosure.sheet.decisions.find((one) => one.system_id === systemId && one.outcome !== 'allowed')
              ?.edition_id ?? '',
        }),
    }),
    override: (systemId: string): Question => ({
      title: `Show figures of ${nameOf(systemId)} all the same`,
      text:
        'Against what its terms say, or without knowing them. Your name and reason stand beside the result, ' +
        'in every file that is taken along, and in the audit log.',
      action: 'Override',
      fields: [
        {
          name: 'audience',
          label: 'For whom',
          kind: 'choice',
          options: [
            { value: 'others', label: 'others whom it is handed to' },
            { value: 'public', label: 'everybody' },
          ],
        },
        { name: 'reason', label: 'Why', kind: 'long' },
        DAYS,
      ],
      step: (said) => steps.override({ ...said, system_id: systemId }),
    }),
    invite: (): Question => ({
      title: 'Ask a vendor for a reply',
      text:
        'Whoever has the link sees this campaign’s figures of the vendor’s own system, and the method, ' +
        'and may reply without signing in. The link is shown once.',
      action: 'Make the link',
      fields: [system(only), { name: 'for_whom', label: 'To whom it is sent' }, DAYS],
      step: steps.invite,
    }),
    withdrawReply: (reply: VendorReply): Question => ({
      title: 'Withdraw this reply?',
      text: 'It is shown no more. That it was withdrawn, by whom and why, stays beside the result.',
      action: 'Withdraw it',
      fields: [{ name: 'reason', label: 'Why', kind: 'long' }],
      step: (said) => steps.withdrawReply({ ...said, id: reply.id }),
    }),
    challenge: (): Question => ({
      title: 'Challenge this result',
      text: 'Say what is wrong with it, and how one would see that. It stands beside the result until it is decided.',
      action: 'Challenge it',
      fields: [system('*', true), { name: 'text', label: 'What is wrong', kind: 'long' }],
      step: (said) =>
        steps.challenge({ ...said, system_id: said['system_id'] === '*' ? '' : (said['system_id'] ?? '') }),
    }),
    answer: (challenge: Challenge): Question => ({
      title: 'Answer the challenge',
      text: challenge.text,
      action: 'Answer',
      fields: [{ name: 'answer', label: 'Your answer', kind: 'long', initial: challenge.answer ?? '' }],
      step: (said) => steps.answer({ ...said, id: challenge.id }),
    }),
    decide: (challenge: Challenge): Question => ({
      title: 'Decide the challenge',
      text: 'Upheld, it marks the result wherever it is shown. This cannot be taken back.',
      action: 'Decide',
      fields: [
        {
          name: 'state',
          label: 'It is',
          kind: 'choice',
          options: [
            { value: 'rejected', label: 'rejected' },
            { value: 'upheld', label: 'upheld: the result is marked' },
          ],
        },
        { name: 'reason', label: 'Why', kind: 'long' },
      ],
      step: (said) => steps.decide({ ...said, id: challenge.id }),
    }),
  }
}
