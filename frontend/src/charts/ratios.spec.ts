import { describe, expect, it } from 'vitest'

import { ratioAxis, ratioMark, writeRatio } from './ratios'

const interval = (ratio: number, low: number, high: number) => ({ ratio, low, high })

describe('ratioAxis', () => {
  it('has half and double equally far from the same', () => {
    const axis = ratioAxis([interval(2, 1.8, 2.2), interval(0.5, 0.4, 0.6)])
    expect(axis.place(2) - axis.place(1)).toBeCloseTo(axis.place(1) - axis.place(0.5))
    expect(axis.ticks.find((tick) => tick.text === 'same')?.ratio).toBe(1)
  })

  it('holds every ratio, however far', () => {
    const axis = ratioAxis([interval(11, 8, 14), interval(0.98, 0.9, 1.1)])
    for (const ratio of [11, 14, 8, 0.9]) expect(axis.place(ratio)).toBeGreaterThan(0)
    expect(axis.place(14)).toBeLessThan(1)
    expect(axis.ticks.map((tick) => tick.text)).toContain('×8')
    expect(axis.ticks.length).toBeLessThanOrEqual(8)
  })

  it('does not let one wild interval press the others into a dot', () => {
    const axis = ratioAxis([interval(1.05, 1.02, 1.08), interval(1.2, 0.00001, 90_000)])
    expect(axis.place(1.08) - axis.place(1.02)).toBeGreaterThan(0.05)
  })

  it('has ticks in percent where all is near to the same, and where there is nothing', () => {
    expect(ratioAxis([interval(1.01, 0.99, 1.03)]).ticks.map((tick) => tick.text)).toContain('×1.01')
    expect(ratioAxis([]).ticks.length).toBeGreaterThan(0)
  })
})

describe('ratioMark', () => {
  const axis = ratioAxis([interval(2, 1.5, 2.5), interval(1.1, 1, 1.2)])

  it('stands where it is', () => {
    const mark = ratioMark(interval(2, 1.5, 2.5), axis)
    expect([mark.overflowLeft, mark.overflowRight]).toEqual([false, false])
    expect(mark.at).toBeCloseTo(axis.place(2))
    expect(mark.from).toBeLessThan(mark.at!)
  })

  it('has an arrow where it leaves the axis; below nothing is off the left end', () => {
    const mark = ratioMark(interval(1.2, -0.5, 400), axis)
    expect([mark.from, mark.to, mark.overflowLeft, mark.overflowRight]).toEqual([0, 1, true, true])
    expect(ratioMark(interval(90, 80, 100), axis).at).toBeNull()
  })
})

describe('writeRatio', () => {
  it('is a factor whatever its size, finer near to the same', () => {
    expect([2.4, 11, 240, 0.25].map(writeRatio)).toEqual(['×2.40', '×11.0', '×240', '÷4.00'])
    expect([1.025, 1.3, 0.958, 1, 1.00004].map(writeRatio)).toEqual(['×1.025', '×1.30', '÷1.044', '×1', '×1'])
    expect(writeRatio(-0.2)).toBe('–')
  })
})
