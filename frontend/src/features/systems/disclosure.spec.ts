import { describe, expect, it } from 'vitest'

import type { DisclosureItem } from '@/api'

import { gaps, percent } from './disclosure'

const item = (label: string, said_by: 'people' | 'platform', fault: string | null): DisclosureItem => ({
  label,
  value: '',
  section: 'who',
  said_by,
  fault,
  path: null,
})

describe('completeness', () => {
  it('is 100 % of what is complete alone', () => {
    expect([0, 0.001, 0.894, 0.999, 1].map(percent)).toEqual([0, 1, 89, 99, 100])
  })

  it('names first what people can mend', () => {
    const items = [item('kernel', 'platform', 'no run told it'), item('sponsor', 'people', 'not answered')]
    expect(gaps([...items, item('method', 'people', null)]).map((one) => one.label)).toEqual(['sponsor', 'kernel'])
  })
})
