import { describe, expect, it } from 'vitest'

import type { CampaignDisclosure, Challenge } from '@/api'

import { questionsOf } from './questions'

const disclosure = {
  campaign_id: 'c',
  systems: { redis: 'Redis', memcached: 'Memcached' },
  sheet: { decisions: [] },
} as unknown as CampaignDisclosure
const challenge = { id: 'h', text: 'It is wrong.', answer: null } as unknown as Challenge

describe('a dialog of a disclosure', () => {
  const asked = questionsOf(disclosure)

  it.each([
    ['consent', asked.consent('redis')],
    ['override', asked.override('redis')],
    ['invite', asked.invite()],
    ['decide', asked.decide(challenge)],
  ])('to %s leaves what is decided to whom it asks', (_, { fields }) => {
    expect(fields.filter((one) => one.initial && one.name !== 'days')).toEqual([])
    expect(fields.some((one) => one.kind === 'choice')).toBe(true)
  })

  it('names the vendor where there is one alone', () => {
    const alone = questionsOf({ ...disclosure, systems: { redis: 'Redis' } })
    expect(alone.invite().fields[0]).toMatchObject({ name: 'system_id', initial: 'redis' })
  })
})
