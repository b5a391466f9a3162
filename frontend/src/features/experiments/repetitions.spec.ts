import { describe, expect, it } from 'vitest'

import { changedTo, kindOf } from './repetitions'

describe('repetitions of an experiment', () => {
  it('are a number or a rule', () => {
    expect(kindOf(undefined)).toBe('fixed')
    expect(kindOf(7)).toBe('fixed')
    expect(kindOf({ at_least: 5 })).toBe('decided')
    expect(kindOf({ until: { half_width_percent: 2 } })).toBe('narrow')
  })

  it('keep what both kinds have when they change', () => {
    expect(changedTo('decided', 7)).toEqual({ at_least: 7, at_most: 30, until: 'decided' })
    expect(changedTo('decided', 2)).toEqual({ at_least: 5, at_most: 30, until: 'decided' })
    expect(changedTo('narrow', { at_least: 6, at_most: 9 })).toEqual({
      at_least: 6,
      at_most: 9,
      until: { half_width_percent: 2 },
    })
    expect(changedTo('fixed', { at_least: 6, at_most: 9 })).toBe(6)
    expect(changedTo('narrow', 50)).toEqual({ at_least: 50, at_most: 50, until: { half_width_percent: 2 } })
  })
})
