import { describe, expect, it } from 'vitest'

import type { Fill, Soak } from '@/api'
import { testPalette } from '@/charts/testPalette'

import { amountText, driftRows, fillLine, fillOption, fillRows, fillSentence, fillTable, THROUGHPUT } from './fill'

const spread = (least: number, greatest: number, average: number | null) => ({
  least,
  median: (least + greatest) / 2,
  greatest,
  average,
  coefficient_of_variation: 0.1,
  peak_to_trough: greatest / least,
  intervals: 4,
})
const tenth = (throughput: number, p99: number) => ({
  from_seconds: 0,
  until_seconds: 1,
  from_progress: 0.2,
  to_progress: 0.3,
  ok: 100,
  throughput,
  p50_us: 50,
  p99_us: p99,
  p9999_us: null,
})
const fill: Fill = {
  figures: {
    fills: 'records',
    target: 1000,
    words: '1,000 records',
    begun: 0.2,
    reached: 1,
    ended: 'filled',
    sentence: 'All 1,000 records are there.',
    seconds: 4,
    first_tenth: tenth(200, 100),
    last_tenth: tenth(100, 400),
    throughput_change: -0.5,
    throughput: spread(80, 240, 150),
    p99_us: spread(100, 400, null),
    p9999_us: null,
  },
  line: {
    progress: [0.4, 0.4, 0.9, 1],
    until_seconds: [1, 2, 3, 4],
    throughput: [200, 0, 250, 100],
    p99_us: [100, null, 200, 400],
    p9999_us: [null, null, null, null],
  },
  marks: [{ kind: 'eviction', label: 'eviction', progress: 0.5, at_seconds: 2.2 }],
}

describe('a fill', () => {
  it('sets its last tenth against the first, beside the spread', () => {
    const [throughput, p50, p99, tail] = fillRows(fill.figures)
    expect([throughput?.change, throughput?.ratio]).toEqual(['-50\u202f%', '3\u202f×'])
    expect([p50?.least, p99?.change]).toEqual(['–', '+300\u202f%'])
    expect([tail?.first, tail?.change, tail?.greatest]).toEqual(['–', '–', '–'])
  })

  it('is drawn along progress from where it began, also where a store shrinks for a while', () => {
    const line = fillLine(fill, 'throughput', 'throughput', 'black')
    expect(line.times).toEqual([20, 40, 40, 90])
    expect(line.until).toEqual([40, 40, 90, 100])
    const option = fillOption(fill, [line], THROUGHPUT, testPalette, {}) as unknown as {
      xAxis: { min: number; max: number; name: string }
      series: { markLine: { data: { xAxis: number; name: string }[] } }[]
    }
    expect([option.xAxis.min, option.xAxis.max, option.xAxis.name]).toEqual([20, 100, '% filled'])
    expect(JSON.stringify(option.series[0]?.markLine.data)).toContain('eviction')
  })

  it('is told in words and figures', () => {
    expect(amountText(fill.figures, 0.5)).toBe('500 records')
    expect(fillSentence(fill.figures)).toContain('From 20\u202f% to 100\u202f% of 1,000 records')
    expect(fillTable(fill).rows[2]).toEqual([90, 3, 250, 200, null])
  })
})

describe('a soak', () => {
  const trend = (changes: Partial<Soak['trends'][number]>): Soak['trends'][number] => ({
    figure: 'throughput',
    per_hour: 0.01,
    low: -0.01,
    high: 0.03,
    relative: true,
    clear: false,
    leak: false,
    sentence: '',
    ...changes,
  })
  const soak = (trends: Soak['trends']): Soak => ({ hours: 4, trends, stalls: null, stalls_sentence: 'No stalls.' })

  it('tells a leak from a trend, and both from noise', () => {
    const rows = driftRows(
      soak([
        trend({}),
        trend({ figure: 'p99_us', clear: true, low: 0.005 }),
        trend({ figure: 'memory_bytes', per_hour: 2 ** 20, low: 2 ** 19, high: 2 ** 21, clear: true, leak: true }),
        trend({ per_hour: null, low: null, high: null, sentence: '5 values tell no trend.' }),
      ]),
    )
    expect(rows.map(({ verdict }) => verdict)).toEqual(['no trend', 'rises', 'grows', 'too short'])
    expect(rows[2]?.trend).toMatch(/^\+1/)
    expect(rows[3]?.interval).toBe('5 values tell no trend.')
  })
})
