import { describe, expect, it } from 'vitest'

import type { RetentionPreview } from '@/api'

import { isDays, KINDS, removalInWords, rulesOf } from './rules'

const preview: RetentionPreview = {
  intervals: { count: 2, bytes: 3_000_000 },
  logs: { count: 1, bytes: 512 },
  artifacts: { count: 0, bytes: 0 },
  events: { count: 12, bytes: null },
  held: [],
  held_total: 0,
}

describe('rules of retention', () => {
  it('leaves out what is kept for ever', () => {
    expect(rulesOf({ logs_days: 30, intervals_days: null })).toEqual({ logs_days: 30 })
    expect(rulesOf({})).toEqual({})
  })

  it('knows days from what is none', () => {
    expect([null, 1, 36_500].map(isDays)).toEqual([true, true, true])
    expect([0, -1, 1.5, 36_501].map(isDays)).toEqual([false, false, false, false])
  })

  it('says what would go', () => {
    expect(removalInWords('intervals', preview)).toMatch(/^2 runs would lose up to .* now$/)
    expect(removalInWords('logs', preview)).toMatch(/^1 run would lose .* now$/)
    expect(removalInWords('artifacts', preview)).toBe('nothing would go now')
    expect(removalInWords('events', preview)).toBe('12 events would go now')
  })

  it('asks for each kind once', () => {
    expect(new Set(KINDS.map((one) => one.what)).size).toBe(4)
  })
})
