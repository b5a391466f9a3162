import { describe, expect, it } from 'vitest'

import type { NoiseFloor } from '@/api'

import { blurOf, powerWords } from './power'

const floor = (system: string, value: number | null) => ({ system_id: system, floor: value }) as NoiseFloor

describe('how small a difference is found', () => {
  it('is what machines cannot tell of these systems', () => {
    const floors = [floor('redis', 0.021), floor('redis', 0.04), floor('rocksdb', 0.3), floor('redis', null)]
    expect(blurOf(floors, ['redis'])).toEqual({ least: 0.021, most: 0.04 })
    expect(blurOf(floors, ['keydb'])).toBeNull()
  })

  it('is told for the repeats of the plan', () => {
    expect(powerWords({ least: 0.021, most: 0.04 }, 5)).toContain(
      '5 repeats tell differences of more than 2.1 to 4.0 %',
    )
    expect(powerWords({ least: 0.02, most: 0.02 }, 9)).toContain('more than 2.0 % in throughput')
    expect(powerWords(null, 5)).toContain('not known: no A/A campaign')
    expect(powerWords(null, 1)).toContain('One repeat finds no difference')
  })
})
