import { describe, expect, it } from 'vitest'

import type { Campaign } from '@/api'

import { repetitionsInWords, undecidedCount } from './courses'

const rule = { at_least: 5, at_most: 30, half_width_percent: null, cells_decided: 1, blocks_saved: 25 }

function campaign(changes: Partial<Campaign>): Campaign {
  return { repetitions: 5, sequential: null, cells: [], ...changes } as Campaign
}

describe('the course of a campaign', () => {
  it('says how often cells are measured', () => {
    expect(repetitionsInWords(campaign({}))).toBe('5 repeats')
    expect(repetitionsInWords(campaign({ sequential: rule }))).toBe('5 to 30 repeats, until decided')
    expect(repetitionsInWords(campaign({ sequential: { ...rule, half_width_percent: 2 } }))).toBe(
      '5 to 30 repeats, until ±2 %',
    )
  })

  it('counts cells for which more repeats may be wanted', () => {
    const cells = ['decided', 'undecided', 'at_most', null].map((course) => ({ course })) as Campaign['cells']
    expect(undecidedCount(campaign({ cells }))).toBe(2)
  })
})
