import { describe, expect, it } from 'vitest'

import { INTERVALS_OR_RANGES, spanKind, spansWords, spanWord, type Span } from './spans'

const range = (repeats: number): Span => ({ kind: 'range', repeats })
const interval: Span = { kind: 'interval', repeats: 5 }

describe('a span', () => {
  it('of few repeats is called what it is, with their number', () => {
    expect([range(1), range(2), range(3), interval].map(spanWord)).toEqual([
      '1 repeat',
      'range of 2 repeats',
      'range of 3 repeats',
      '95 % interval',
    ])
  })

  it('is an interval from four repeats on', () => {
    expect([1, 3, 4, 9].map(spanKind)).toEqual(['range', 'range', 'interval', 'interval'])
  })

  it('is told of all at once, and none is called an interval that is not', () => {
    expect(spansWords([interval, interval])).toBe('95 % intervals')
    expect(spansWords([range(2), range(2)])).toBe('ranges of 2 repeats')
    expect(spansWords([range(2), range(3), range(1)])).toBe('ranges of 2 to 3 repeats')
    expect(spansWords([range(2), interval])).toBe(INTERVALS_OR_RANGES)
    expect(spansWords([range(1)])).toBe('')
  })
})

describe('the interface', () => {
  it('says 95 % in one place, which asks how many repeats there were', () => {
    const files: Record<string, string> = import.meta.glob('../**/*.{ts,vue}', {
      query: '?raw',
      import: 'default',
      eager: true,
    })
    const own = Object.keys(files).filter((name) => !/\.spec\.ts$|schema\.d\.ts$|\/spans\.ts$/.test(name))
    expect(own.length).toBeGreaterThan(300)
    expect(own.filter((name) => /95[\s\u2009\u202f]*%/.test(files[name]!))).toEqual([])
  })
})
