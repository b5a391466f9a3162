import { describe, expect, it } from 'vitest'

import { alongInWords, rangeInWords } from './sentences'

const write = (value: number): string => `${value} µs`

describe('alongInWords', () => {
  it('says what rises, falls or stays, from where to where', () => {
    const points = (...values: (number | null)[]) => values.map((value, at) => ({ at: `${at + 1} clients`, value }))
    expect(alongInWords('p99 of Redis', points(58, null, 1400), write)).toBe(
      'p99 of Redis rises from 58 µs at 1 clients to 1400 µs at 3 clients.',
    )
    expect(alongInWords('p99', points(100, 50), write)).toContain('falls from 100 µs')
    expect(alongInWords('p99', points(100, 101), write)).toBe('p99 stays near 100 µs from 1 clients to 2 clients.')
    expect(alongInWords('p99', points(null, 7), write)).toBe('p99 is 7 µs at 2 clients.')
    expect(alongInWords('p99', points(null), write)).toBe('p99: nothing was measured.')
  })
})

describe('rangeInWords', () => {
  it('says where a figure lies', () => {
    expect(rangeInWords('Latency', [9, null, 1, 5], write, '12 h')).toBe(
      'Latency over 12 h: mostly 5 µs, from 1 µs to 9 µs.',
    )
    expect(rangeInWords('Latency', [null], write, '12 h')).toBe('Latency: nothing was measured.')
  })
})
