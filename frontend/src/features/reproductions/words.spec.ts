import { describe, expect, it } from 'vitest'

import { countsInWords, differenceInWords, figuresInWords } from './words'

const cell = {
  target: 'redis',
  workload: 'balanced',
  load_level: '8 clients',
  figure: 'throughput',
  unit: '1/s',
  original: 48_200,
  again: 24_100,
  relative: -0.5,
  low: -0.52,
  high: -0.48,
  outcome: 'did_not_reproduce',
  because: 'it differs by more than 25 % beyond doubt',
} as const

describe('who measured a campaign again', () => {
  it('is counted by installations, each outcome in words', () => {
    expect(countsInWords({ reproduced: 2, did_not_reproduce: 1, cannot_tell: 0 })).toBe(
      'reproduced by 2 other installations; not reproduced by 1 other installation',
    )
  })

  it('is nobody where every count is none', () => {
    expect(countsInWords({ reproduced: 0, did_not_reproduce: 0, cannot_tell: 0 })).toBe('')
  })

  it('shows figures before and now in the unit of the figure', () => {
    expect(figuresInWords(cell)).toBe('48.2\u2009k op/s → 24.1\u2009k op/s')
  })

  it('shows the interval of the difference where there is one', () => {
    expect(differenceInWords(cell)).toContain(' to ')
    expect(differenceInWords({ ...cell, low: null, high: null })).not.toContain(' to ')
  })
})
