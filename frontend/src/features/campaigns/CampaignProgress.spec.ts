import { mount, RouterLinkStub } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import type { Campaign } from '@/api'

import CampaignProgress from './CampaignProgress.vue'

const ended = {
  id: 'c',
  status: 'cancelled',
  completeness: { complete: true },
  paused: false,
  state: 'cancelled',
  started_at: '2026-11-22T02:00:00Z',
  finished_at: '2026-11-22T02:05:00Z',
  runs: { total: 18, queued: 0, running: 0, completed: 11, failed: 0, cancelled: 7 },
  seconds_left: null,
  sequential: null,
  looks: [],
  cells: [],
  agents: [],
} as unknown as Campaign

describe('the progress of a campaign that was cancelled', () => {
  const text = mount(CampaignProgress, {
    props: { campaign: ended },
    global: { stubs: { RouterLink: RouterLinkStub } },
  }).text()

  it('counts what was measured alone, and tells the rest apart', () => {
    expect(text).toMatch(/Runs measured\s*11\s*of 18/)
    expect(text).toMatch(/Cancelled\s*7/)
    expect(text).not.toMatch(/18\s*of 18/)
  })
})

describe('the progress of a campaign that waits', () => {
  it('says why, and what stands before it', () => {
    const waiting = {
      ...ended,
      status: 'queued',
      state: 'queued',
      completeness: { complete: false },
      waiting_for: 'waits for db1, where its block began',
      ahead: { campaigns: 2, runs: 9 },
    } as unknown as Campaign
    const text = mount(CampaignProgress, {
      props: { campaign: waiting },
      global: { stubs: { RouterLink: RouterLinkStub } },
    }).text()
    expect(text).toContain('The next run waits for db1, where its block began.')
    expect(text).toContain('2 campaigns of this project come before it, with 9 runs still to measure.')
  })
})
