import { describe, expect, it } from 'vitest'

import { historyOption, type HistoryInput } from './seriesHistory'
import { testPalette } from './testPalette'

const point = { at: '2026-11-21T01:30:00Z', label: '#4', value: 90, low: 80, high: 104, repeats: [90], segment: 0 }
const input: HistoryInput = {
  points: [
    point,
    { ...point, at: '2026-11-22T01:30:00Z', label: '#5', origin: 'abcdef1234 on <img src=x onerror=alert(1)>' },
  ],
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

  it('calls a range a range: below four repeats there is no interval', () => {
    expect(formatter({ data: [0, 90, 0] })).toContain('range 80 op/s to 104 op/s')
    const enough = historyOption({ ...input, points: [{ ...point, repeats: [1, 2, 3, 4] }] }, testPalette).tooltip as {
      formatter: (item: object) => string
    }
    expect(enough.formatter({ data: [0, 90, 0] })).toContain('95 % interval 80 op/s')
  })

  it('labels campaigns where their points are', () => {
    const points = Array.from({ length: 30 }, (_, at) => ({ ...point, at: `2026-11-${at}`, label: `#${at}` }))
    const { xAxis } = historyOption({ ...input, points }, testPalette) as {
      xAxis: { axisLabel: { customValues: number[]; formatter: (at: number) => string } }
    }
    expect(xAxis.axisLabel.customValues).toEqual([0, 5, 10, 15, 20, 25])
    expect(xAxis.axisLabel.formatter(25)).toBe('#25')
  })

  it('names a drift one, and a step by its size alone', () => {
    const change = { at: point.at, relative: -0.05, status: 'confirmed' }
    const changes = [
      { ...change, kind: 'step' as const },
      { ...change, kind: 'drift' as const },
    ]
    const [, line] = historyOption({ ...input, changes }, testPalette).series as {
      markLine: { data: { label: { formatter: string } }[] }
    }[]
    expect(line?.markLine.data.map((mark) => mark.label.formatter)).toEqual(['−5.0\u2009%', 'drift −5.0\u2009%'])
  })

  it('joins the points of a segment that was left and came back', () => {
    const points = [0, 1, 0].map((segment, place) => ({ ...point, at: `2026-11-2${place}T01:30:00Z`, segment }))
    const lines = (
      historyOption({ ...input, points }, testPalette).series as { type: string; data: number[][] }[]
    ).filter((one) => one.type === 'line')
    expect(lines.map((line) => line.data.map(([x]) => x))).toEqual([[0, 2], [1]])
  })
})

describe('noise bands', () => {
  it('lie behind the points of their campaigns, and are named once', () => {
    const later = { ...point, at: '2026-11-22T01:30:00Z', label: '#5' }
    const bands = [{ starts_at: point.at, ends_at: later.at, low: 88, high: 93 }]
    const option = historyOption({ ...input, points: [point, later], along: 'campaign', bands }, testPalette)
    const [band] = option.series as unknown as { type: string; data: number[][]; silent: boolean }[]
    expect(band).toMatchObject({ type: 'custom', silent: true })
    expect(band?.data).toEqual([
      [-0.4, 88, 93],
      [1.4, 88, 93],
    ])
    const { legend } = option as unknown as { legend: { data: string[] } }
    expect(legend.data).toContain('what this machine cannot tell')
    const without = historyOption({ ...input, points: [point] }, testPalette) as unknown as {
      legend: { data: string[] }
    }
    expect(without.legend.data).not.toContain('what this machine cannot tell')
  })
})
