import { describe, expect, it } from 'vitest'

import { contrast, deuteranopia, difference, hexOfLch, lchOf, ramp } from './colours'

describe('colours', () => {
  it('come back from lightness, chroma and hue as they were', () => {
    for (const hex of ['#d55e00', '#0072b2', '#ffffff', '#171d1b']) expect(hexOfLch(lchOf(hex))).toBe(hex)
  })

  it('contrast as WCAG has it', () => {
    expect(contrast('#000', '#ffffff')).toBeCloseTo(21, 5)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('differ as CIE 1976 has it', () => {
    expect(difference('#ff0000', '#ff0000')).toBe(0)
    expect(difference('#000000', '#ffffff')).toBeCloseTo(100, 1)
  })

  it('of red and green are near each other without medium cones', () => {
    const apart = difference('#c00000', '#00a000')
    expect(difference(deuteranopia('#c00000'), deuteranopia('#00a000'))).toBeLessThan(apart / 2)
    expect(difference(deuteranopia('#888888'), '#888888')).toBeLessThan(1)
  })
})

describe('ramp', () => {
  it('goes in even steps of lightness', () => {
    const lightness = ramp(['#e8ecef', '#1d2850'], 9).map((hex) => lchOf(hex).lightness)
    const steps = lightness.slice(1).map((value, at) => (lightness[at] ?? 0) - value)
    for (const step of steps) expect(step).toBeCloseTo(steps[0] ?? 0, 2)
    expect(steps[0]).toBeGreaterThan(0.05)
  })
})
