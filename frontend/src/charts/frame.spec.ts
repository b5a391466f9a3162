import { describe, expect, it } from 'vitest'

import { roundScale } from './frame'

describe('roundScale', () => {
  it.each([32_200, 0.9, 4.02, 0, 999_999])('ends at %d or above, in a few round steps', (highest) => {
    const { max, interval } = roundScale(highest)
    expect(max).toBeGreaterThanOrEqual(highest)
    expect(max / interval).toBeCloseTo(Math.round(max / interval), 9)
    expect(max / interval).toBeLessThanOrEqual(5)
  })

  it('is round in mebibytes for bytes', () => {
    const { interval } = roundScale(16 * 1024 ** 2, 1024)
    expect((interval / 1024 ** 2) % 1).toBe(0)
  })
})
