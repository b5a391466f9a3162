import { describe, expect, it } from 'vitest'

import type { Comparison } from '@/api'

import { headlinesOf } from './headline'

const level = (value: number) => ({ kind: 'closed' as const, value, label: `${value} clients` })
const estimate = (median: number) => ({
  median,
  low: median * 0.9,
  high: median * 1.25,
  repeats: 5,
  kind: 'interval' as const,
  confidence: 0.95,
})
const cell = (side: string, clients: number, median: number | null) => ({
  side,
  workload: 'balanced',
  load_level: level(clients),
  figures: median === null ? {} : { throughput: estimate(median) },
})
const comparison = {
  sides: [{ key: 'a' }, { key: 'b' }],
  workloads: ['balanced', 'never-run'],
  load_levels: [level(1), level(8), level(32)],
  cells: [
    cell('a', 1, 10),
    cell('b', 1, 20),
    cell('a', 8, 50),
    cell('b', 8, 80),
    cell('a', 32, 60),
    cell('b', 32, null),
  ],
} as unknown as Comparison

describe('headlines', () => {
  it('take the level that most sides have, the heaviest of those', () => {
    const [headline, ...rest] = headlinesOf(comparison)
    expect(headline?.level.value).toBe(8)
    expect(rest).toEqual([])
  })

  it('show a side that was not measured as such', () => {
    const cells = comparison.cells.filter((one) => one.side === 'a')
    const bars = headlinesOf({ ...comparison, cells })[0]?.bars
    expect(bars?.map((bar) => bar.throughput?.median ?? null)).toEqual([60, null])
  })

  it('scale bars to the widest end of an interval', () => {
    const bars = headlinesOf(comparison)[0]?.bars
    expect(bars?.map((bar) => Math.round(bar.width))).toEqual([50, 80])
    expect(bars?.[1]?.high).toBe(100)
  })
})
