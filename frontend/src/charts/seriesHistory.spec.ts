import { describe, expect, it } from 'vitest'

import { historyOption, type HistoryInput } from './seriesHistory'
import { testPalette } from './testPalette'

const point = { at: '2026-11-21T01:30:00Z', label: '#4', value: 90, low: 80, high: 104, repeats: [90], segment: 0 }
const input: HistoryInput = {
  points: [point, { ...point, at: '2026-11-22T01:30:00Z', label: '#5', origin: 'abcdef1234 on <img src=x onerror=alert(1)>' }],
  changes: [],
  segments: [],
  colour: '#D55E00',
  name: 'median',
  format: { name: 'op/s', write: (value) => `${value} op/s` },
  along: 'campaign',
}

describe('historyOption', () => {
  const { formatter } = historyOption(input, testPalette).tooltip as { formatter: (item: object) => string }

  it('tells what a point was measured for, made harmless', () => {
    const text = formatter({ data: [1, 90, 1] })
    expect(text).toContain('abcdef1234 on &lt;img src=x')
    expect(text).not.toContain('<img')
  })

  it('tells nothing of a commit where there was none', () => {
    expect(formatter({ data: [0, 90, 0] })).toMatch(/104 op\/s$/)
  })
})
