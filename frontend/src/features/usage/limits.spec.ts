import { describe, expect, it } from 'vitest'

import type { Use } from '@/api'

import { filled, limitsOf, typedOf } from './limits'

const use = (kind: Use['kind'], unit: Use['unit'], limit: number | null) =>
  ({ kind, unit, limit, used: 1 }) as unknown as Use

describe('limits', () => {
  it('fills a bar up to its limit, and wholly beyond it', () => {
    expect([filled({ used: 1, limit: 4 }), filled({ used: 9, limit: 4 })]).toEqual([25, 100])
    expect([filled({ used: 0, limit: 0 }), filled({ used: 9, limit: null })]).toEqual([100, 0])
  })

  it('are typed in gigabytes and kept in bytes; what is empty is not limited', () => {
    const all = [
      use('agents', 'count', 3),
      use('result_bytes', 'bytes', 1_500_000_000),
      use('machine_hours', 'hours', 12.5),
      use('campaigns', 'count', null),
    ]
    const typed = typedOf(all)
    expect(typed.result_bytes).toBe(1.5)
    expect(limitsOf(all, typed)).toEqual({ agents: 3, result_bytes: 1_500_000_000, machine_hours: 12.5 })
  })
})
