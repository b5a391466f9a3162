import { describe, expect, it } from 'vitest'

import { niceCeiling, traceOf } from './trace'

describe('live lines', () => {
  it('ends at the right edge and begins where values begin', () => {
    expect(traceOf([50, 100], 3, 100, 40)).toEqual({ points: '50.0,20.0 100.0,0.0', top: 100 })
  })

  it('drops what no longer fits', () => {
    expect(traceOf([1, 2, 4], 2, 10, 10).points.split(' ')).toHaveLength(2)
  })

  it('survives nothing and nothing but zeros', () => {
    expect(traceOf([], 10, 100, 40)).toEqual({ points: '', top: 0 })
    expect(traceOf([0], 10, 100, 40).points).toBe('100.0,40.0')
  })

  it('rounds its top up to a readable number', () => {
    expect(niceCeiling(48_211)).toBe(50_000)
    expect(niceCeiling(1000)).toBe(1000)
    expect(niceCeiling(0.7)).toBeCloseTo(0.8)
  })
})
