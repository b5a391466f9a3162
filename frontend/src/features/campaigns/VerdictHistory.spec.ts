import { mount } from '@vue/test-utils'
import { VueQueryPlugin } from '@tanstack/vue-query'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'

import type { Gate } from '@/api'

import VerdictHistory from './VerdictHistory.vue'

const gate = (made: number, now: number) =>
  ({
    campaign_id: 'c',
    judged_at: '2026-11-22T02:00:00Z',
    rules_version: made,
    rules_version_now: now,
    details_kept: true,
    superseded: [],
  }) as unknown as Gate

const shown = (one: Gate) => mount(VerdictHistory, { props: { gate: one }, global: { plugins: [VueQueryPlugin] } })
const wordsOf = (one: Gate) => shown(one).get('.made').text().replaceAll(/\s+/g, ' ')

describe('how a verdict was made', () => {
  beforeEach(() => setActivePinia(createPinia()))

  it('says which version of the rules judged, and where they are told', () => {
    const link = shown(gate(6, 6)).get('a')
    expect(link.text()).toBe('version 6 of the rules')
    expect(link.attributes('href')).toBe('/docs/verdicts#when-rules-change')
    expect(wordsOf(gate(6, 6))).toMatch(/^Judged .+ by version 6 of the rules\.$/)
  })

  it('says that others hold today', () => {
    expect(wordsOf(gate(5, 6))).toMatch(/by version 5 of the rules; version 6 holds today\.$/)
  })
})
