import { describe, expect, it } from 'vitest'

import { byLevel } from './figures'
import { metricKind } from './metrics'
import { testComparison, testEstimate } from './testComparison'

const { sides } = testComparison

describe('byLevel', () => {
  it('keeps a side without results, and its table has what was measured alone', () => {
    const found = byLevel(testComparison, sides, 'reads', metricKind('throughput')!)
    expect(found.sides.map((side) => side.points.map((point) => point.y))).toEqual([
      [10_000, 40_000, 40_000],
      [20_000, 80_000, 80_000],
      [30_000, 120_000, 120_000],
    ])
    expect(found.table.rows[0]).toEqual(['redis', '1 client', 10_000, 9000, 11_000, 'range of 2 repeats', 2])
    const none = byLevel(testComparison, sides, 'reads', metricKind('p50_us')!)
    expect([none.sides.length, none.table.rows.length]).toEqual([3, 0])
  })

  it('keeps levels of one number of clients apart, on a line of their own', () => {
    const deep = { ...testComparison.load_levels[0]!, label: '1 client, pipeline 10' }
    const quick = {
      ...testComparison.cells[0]!,
      load_level: deep,
      figures: { throughput: { ...testEstimate(90_000), statistic: 'counted' as const } },
    }
    const both = {
      ...testComparison,
      load_levels: [...testComparison.load_levels, deep],
      cells: [...testComparison.cells, quick],
    }
    const found = byLevel(both, sides, 'reads', metricKind('throughput')!).sides
    expect(found.map(({ name, points }) => [name, points.map(({ x }) => x)])).toEqual([
      ['redis', [1, 4, 8]],
      ['redis, pipeline 10', [1]],
      ['memcached', [1, 4, 8]],
      ['rocksdb', [1, 4, 8]],
    ])
  })

  it('has a logarithmic axis of clients, and steps where a load is another one for each side', () => {
    const throughput = metricKind('throughput')!
    expect(byLevel(testComparison, sides, 'reads', throughput).x.kind).toBe('log')
    const own = { kind: 'closed', value: 0, label: '8 clients', own: true } as const
    const [one, four] = testComparison.load_levels
    const mixed = { ...testComparison, load_levels: [one!, four!, own] }
    const found = byLevel(mixed, sides, 'reads', throughput)
    expect(found.x.ticks.map(({ text }) => text)).toEqual(['1', '4', '8 clients'])
    expect(found.sides[0]?.points.map(({ x }) => x)).toEqual([0, 1, 2])
  })
})
