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
  it('show every load of a workload that was measured', () => {
    const [headline, ...rest] = headlinesOf(comparison)
    expect(headline?.levels.map(({ value }) => value)).toEqual([1, 8, 32])
    expect(headline?.more).toBe(0)
    expect(rest).toEqual([])
  })

  it('show the ends and what lies evenly between of many', () => {
    const many = [1, 2, 4, 8, 16, 32]
    const load_levels = many.map(level)
    const [headline] = headlinesOf({
      ...comparison,
      load_levels,
      cells: many.map((one) => cell('a', one, one)),
    } as never)
    expect(headline?.levels.map(({ value }) => value)).toEqual([1, 4, 8, 32])
    expect(headline?.more).toBe(2)
  })

  it('show of many sides those that come nearest to the most at some load, in their own order', () => {
    const sides = ['slow', 'first-at-1', 'slower', 'first-at-8', 'middling']
    const at = (clients: number, figures: number[]) => figures.map((one, index) => cell(sides[index]!, clients, one))
    const [headline] = headlinesOf(
      {
        ...comparison,
        sides: sides.map((key) => ({ key })),
        load_levels: [level(1), level(8)],
        cells: [...at(1, [1, 10, 1, 2, 6]), ...at(8, [100, 300, 90, 900, 500])],
      } as never,
      4,
      3,
    )
    expect(headline?.lines.map(({ side }) => side.key)).toEqual(['first-at-1', 'first-at-8', 'middling'])
    expect(headline?.moreSides).toBe(2)
    expect(headline?.missing).toEqual([])
  })

  it('show a side that was not measured as such', () => {
    const [one, other] = headlinesOf(comparison)[0]!.lines
    expect(one!.bars.map(({ throughput }) => throughput?.median ?? null)).toEqual([10, 50, 60])
    expect(other!.bars.map(({ throughput }) => throughput?.median ?? null)).toEqual([20, 80, null])
  })

  it('name a side that has no figure of a workload once', () => {
    const cells = comparison.cells.filter((one) => one.side === 'a')
    const [headline] = headlinesOf({ ...comparison, cells })
    expect(headline!.lines.map(({ side }) => side.key)).toEqual(['a'])
    expect(headline!.missing.map(({ key }) => key)).toEqual(['b'])
  })

  it('scale bars to the widest end of an interval of the workload', () => {
    const bars = headlinesOf(comparison)[0]!.lines.map(({ bars: [, middle] }) => middle!)
    expect(bars.map((bar) => Math.round(bar.width))).toEqual([50, 80])
    expect(bars[1]!.high).toBe(100)
  })
})
