import { describe, expect, it } from 'vitest'

import { linearScale, logScale, roundScale, stepScale } from './scales'

const write = (value: number) => String(value)
const texts = (values: number[]) => logScale(values, write).ticks.map((tick) => tick.text)

describe('logScale', () => {
  it('labels decades where there are many, and round figures between where there are few', () => {
    expect(texts([15, 8000])).toEqual(['30', '100', '300', '1000', '3000', '10000'])
    expect(texts([1, 4e5])).toEqual(['1', '10', '100', '1000', '10000', '100000'])
    expect(texts([12_000, 90_000])).toEqual(['20000', '50000'])
    expect(texts([30_000, 260_000])).toEqual(['50000', '100000', '200000'])
  })

  it('has labels even where all values are one', () => {
    expect(texts([83]).length).toBeGreaterThan(1)
    const { min, max, place } = logScale([83], write)
    expect(place(83)).toBeCloseTo((min + max) / 2)
  })

  it('keeps every value inside, and has no place for 0', () => {
    const { min, max, place } = logScale([12, 40_000, 0], write)
    expect(min).toBeLessThan(place(12))
    expect(max).toBeGreaterThan(place(40_000))
    expect(place(0)).toBeNaN()
    expect(logScale([], write).ticks.length).toBeGreaterThan(0)
  })
})

describe('linearScale', () => {
  it('begins at 0 and ends at a round figure', () => {
    const scale = linearScale([3.2, 94], write)
    expect([scale.min, scale.max]).toEqual([0, 100])
    expect(scale.ticks.at(-1)?.text).toBe('100')
    expect(linearScale([], write).max).toBeGreaterThan(0)
  })
})

describe('stepScale', () => {
  it('has half a step of room at its ends', () => {
    const scale = stepScale(['empty', 'loaded', 'after'])
    expect([scale.min, scale.max, scale.ticks[2]?.at]).toEqual([-0.5, 2.5, 2])
  })
})

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

describe('an axis of what is counted', () => {
  it('labels whole numbers alone, however few values there are', () => {
    for (const values of [[1], [4], [1, 2], [3, 4]]) {
      const halves = logScale(values, String).ticks.filter(({ at }) => !Number.isInteger(Number((10 ** at).toFixed(6))))
      const scale = logScale(values, String, true)
      expect(scale.ticks.length).toBeGreaterThan(0)
      expect(scale.ticks.map(({ text }) => Number(text)).every(Number.isInteger)).toBe(true)
      if (values[0] === 4) expect(halves.length).toBeGreaterThan(0)
    }
  })
})
