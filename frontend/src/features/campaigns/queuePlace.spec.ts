import { describe, expect, it } from 'vitest'

import type { Campaign } from '@/api'

import { placeInQueue, whyNoMachine } from './queuePlace'

const campaign = (given: Partial<Campaign>) =>
  ({ status: 'queued', ahead: null, waiting_for: null, ...given }) as Campaign

describe('a campaign that waits', () => {
  it('says in a sentence why its next run has no machine', () => {
    expect(whyNoMachine(campaign({}))).toBe('')
    expect(whyNoMachine(campaign({ waiting_for: 'waits for db1, where its block began' }))).toBe(
      'The next run waits for db1, where its block began',
    )
    expect(whyNoMachine(campaign({ waiting_for: 'you need 2 agents with role server; there is 1' }))).toBe(
      'The next run waits: you need 2 agents with role server; there is 1',
    )
  })

  it('says what stands before it', () => {
    expect(placeInQueue(campaign({ ahead: { campaigns: 1, runs: 1 } }))).toBe(
      '1 campaign of this project comes before it, with 1 run still to measure.',
    )
    expect(placeInQueue(campaign({ ahead: { campaigns: 3, runs: 12 }, waiting_for: 'waits' }))).toBe(
      '3 campaigns of this project come before it, with 12 runs still to measure.',
    )
  })

  it('is next where nothing does, unless no machine would do', () => {
    const ahead = { campaigns: 0, runs: 0 }
    expect(placeInQueue(campaign({ ahead }))).toMatch(/^Next in the queue of this project/)
    expect(placeInQueue(campaign({ ahead, waiting_for: 'you need 2 agents' }))).toBe('')
  })

  it('has no place once it has begun, whatever was known of it', () => {
    expect(placeInQueue(campaign({ status: 'running', ahead: { campaigns: 2, runs: 2 } }))).toBe('')
    expect(placeInQueue(campaign({}))).toBe('')
  })
})
