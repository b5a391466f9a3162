import { describe, expect, it } from 'vitest'

import type { Provision } from '@/api'

import { estimateInWords, provisionInWords } from './words'

const found: Provision = {
  id: 'p',
  campaign_id: 'c',
  state: 'made',
  machine: 'large',
  machines: 2,
  at_most: { amount: 4, currency: 'EUR' },
  so_far: { amount: 0.305, currency: 'EUR' },
  requested_by: 'Ada',
  wanted_at: '2026-11-27T10:00:00Z',
  made_at: '2026-11-27T10:01:00Z',
  ends_at: '2026-11-27T12:00:00Z',
  ended_at: null,
  problem: null,
}

describe('machines that are made, in words', () => {
  it('tells before the start what they cost at most', () => {
    const asked = { machine: 'large', machines: 2, minutes: 120, hourly: null, at_most: found.at_most }
    expect(estimateInWords(asked)).toContain('2 machines (large) for each campaign')
    expect(estimateInWords(asked)).toContain('at most 4.00 EUR')
    expect(estimateInWords({ ...asked, at_most: null })).toContain('nobody says what they cost')
  })

  it('tells how they are doing', () => {
    expect(provisionInWords(found)).toBe('2 machines (large) are there; 0.31 EUR so far, 4.00 EUR at most.')
    const over = { ...found, state: 'ended' as const, ended_at: found.ends_at }
    expect(provisionInWords(over)).toBe('2 machines (large) are gone; they cost 0.31 EUR.')
    expect(provisionInWords({ ...over, state: 'failed', so_far: null })).toBe('2 machines (large) could not be made.')
  })
})
