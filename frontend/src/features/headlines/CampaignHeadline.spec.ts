import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import type { Headline } from '@/api'

import CampaignHeadline from './CampaignHeadline.vue'

const headline: Headline = {
  badge: 'Redis leads',
  tone: 'told',
  so_far: false,
  failed: '',
  sentence: 'Redis leads: most throughput in both cells.',
  sure: 'beyond doubt in both cells',
}
const said = (campaign: object, of: Headline | undefined) =>
  mount(CampaignHeadline, { props: { campaign: { state: 'completed', ...campaign }, headline: of } })
    .text()
    .replaceAll(/\s+/g, ' ')

describe('what a campaign came to', () => {
  it('stands before the gate’s word, which is a second thing', () => {
    expect(said({ verdict: 'no_baseline' }, headline)).toBe('Redis leadsgate: no base')
  })

  it('has what failed beside it, once', () => {
    expect(said({}, { ...headline, failed: '3 of 30 runs failed' })).toBe('Redis leads3 of 30 runs failed')
    const half = 'Half failed: 15 of 30 runs'
    expect(said({}, { ...headline, badge: half, failed: half, tone: 'bad' })).toBe(half)
    expect(said({ state: 'running' }, { ...headline, badge: `So far: half failed: 15 of 30 runs`, failed: half })).toBe(
      'RunningSo far: half failed: 15 of 30 runs',
    )
  })

  it('is the state while nothing is known, and beside what did not go to its end', () => {
    expect(said({}, undefined)).toBe('Completed')
    const untold = mount(CampaignHeadline, { props: { campaign: { state: 'completed' } } })
    expect(untold.find('.good').exists()).toBe(false)
    expect(said({ state: 'cancelled' }, headline)).toBe('CancelledRedis leads')
    expect(said({ state: 'paused' }, { ...headline, badge: 'So far: Redis leads' })).toBe('PausedSo far: Redis leads')
  })
})
