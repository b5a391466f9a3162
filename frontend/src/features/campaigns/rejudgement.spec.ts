import { describe, expect, it } from 'vitest'

import type { RejudgedCampaign } from '@/api'

import { outcomeInWords } from './rejudgement'

const judged: RejudgedCampaign = {
  campaign_id: 'c',
  campaign_number: 7,
  experiment: { id: 'e', slug: 'e', name: 'E' },
  outcome: 'judged',
  reason: null,
  verdict_before: 'inconclusive',
  rules_before: 1,
  verdict_now: 'not_comparable',
  message: 'm',
  findings_new: 0,
  findings_gone: 0,
}

describe('what became of a campaign that was judged again', () => {
  it('is its verdict in words, or that nothing changed', () => {
    expect(outcomeInWords(judged)).toBe('not comparable')
    expect(outcomeInWords({ ...judged, outcome: 'unchanged' })).toBe('it says the same')
  })

  it('is the reason where it could not be judged', () => {
    const failed: RejudgedCampaign = {
      ...judged,
      outcome: 'failed',
      verdict_now: null,
      reason: 'no worker finished it',
    }
    expect(() => outcomeInWords(failed)).toThrow('no worker finished it')
    expect(() => outcomeInWords(undefined)).toThrow('gone')
  })
})
