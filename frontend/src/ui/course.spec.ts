import { describe, expect, it } from 'vitest'

import { courseLine } from './course'

describe('the line of a course', () => {
  it('goes from the least value at the bottom to the greatest at the top', () => {
    expect(courseLine([10, 30, 20], 100, 20)).toBe('0.0,20.0 50.0,0.0 100.0,10.0')
  })

  it('is level where nothing changes, and a point where there is one value', () => {
    expect(courseLine([7, 7], 100, 20)).toBe('0.0,10.0 100.0,10.0')
    expect(courseLine([7], 100, 20)).toBe('50.0,10.0')
  })
})
