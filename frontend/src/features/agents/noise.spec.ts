import { describe, expect, it } from 'vitest'

import type { NoiseFloor } from '@/api'

import { courseOf, figureName, floorText, sizeText } from './noise'

describe('noise floors', () => {
  it('say what is missing while there are too few pairs', () => {
    expect(floorText({ floor: null, pairs: 6 } as NoiseFloor)).toBe('6 of 10 pairs')
    expect(floorText({ floor: 0.021, pairs: 12 } as NoiseFloor)).toContain('2.1')
    expect(sizeText(null)).toBe('–')
    expect(sizeText(0.021)).not.toContain('+')
  })

  it('are drawn from left to right, the largest on top', () => {
    expect(courseOf([0.01, 0.02, 0], 100, 20)).toBe('0.0,10.0 50.0,0.0 100.0,20.0')
    expect(courseOf([0.01], 100, 20)).toBe('0.0,0.0')
  })

  it('name figures that are known, and show the others as they are', () => {
    expect(figureName('p999_us')).toBe('p99.9')
    expect(figureName('new_figure')).toBe('new_figure')
  })
})
