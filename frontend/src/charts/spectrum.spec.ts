import { describe, expect, it } from 'vitest'

import { nines, percentileLabel, spectrumOption } from './spectrum'
import { testPalette } from './testPalette'

describe('nines', () => {
  it.each([
    [0, 0],
    [0.9, 1],
    [0.99, 2],
    [0.999, 3],
  ])('of %d are %d', (quantile, count) => {
    expect(nines(quantile)).toBeCloseTo(count, 6)
  })
})

describe('percentileLabel', () => {
  it.each([
    [0, 'p0'],
    [1, 'p90'],
    [2, 'p99'],
    [3, 'p99.9'],
    [4, 'p99.99'],
  ])('of %d nines is %s', (count, label) => {
    expect(percentileLabel(count)).toBe(label)
  })
})

describe('spectrumOption', () => {
  it('leaves out the maximum, which lies at infinity', () => {
    const points = [
      { quantile: 0.5, value_us: 100, count: 5 },
      { quantile: 1, value_us: 900, count: 10 },
    ]
    const format = { name: 'µs', write: String }
    const option = spectrumOption([{ name: 'read', colour: '#000', points }], format, testPalette)
    const [series] = option.series as unknown as { data: number[][] }[]
    expect(series?.data).toHaveLength(1)
    expect(series?.data[0]?.[1]).toBe(100)
  })
})
