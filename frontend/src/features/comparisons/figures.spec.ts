import { describe, expect, it } from 'vitest'

import { byLevel, memory, scaling } from './figures'
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
    expect(found.table.rows[0]).toEqual(['redis', '1 client', 10_000, 9000, 11_000, 'range', 2])
    const none = byLevel(testComparison, sides, 'reads', metricKind('p50_us')!)
    expect([none.sides.length, none.table.rows.length]).toEqual([3, 0])
  })

  it('keeps levels of one number of clients apart', () => {
    const deep = { ...testComparison.load_levels[0]!, label: '1 client, pipeline 10' }
    const quick = { ...testComparison.cells[0]!, load_level: deep, throughput: testEstimate(90_000) }
    const both = {
      ...testComparison,
      load_levels: [...testComparison.load_levels, deep],
      cells: [...testComparison.cells, quick],
    }
    const [redis] = byLevel(both, sides, 'reads', metricKind('throughput')!).sides
    expect(redis?.points.map((point) => [point.x, point.y])).toContainEqual([3, 90_000])
  })
})

describe('scaling', () => {
  it('is throughput a client against the smallest load', () => {
    const found = scaling(testComparison, sides, 'reads')
    expect(found.sides[0]?.points.map((point) => point.y)).toEqual([1, 1, 0.5])
    expect(found.table.rows[2]).toEqual(['redis', '8 clients', 50, 5000])
  })

  it('is nothing where there is one load', () => {
    const one = { ...testComparison, load_levels: testComparison.load_levels.slice(0, 1) }
    expect(scaling(one, sides, 'reads').table.rows).toEqual([])
  })
})

describe('memory', () => {
  it('is a slope from the empty system to the one after the run', () => {
    const cells = testComparison.cells.map((cell) => ({
      ...cell,
      memory_before_bytes: testEstimate(2 ** 20),
      memory_after_bytes: testEstimate(3 * 2 ** 20),
    }))
    const found = memory({ ...testComparison, cells }, sides, 'reads', '8 clients')
    expect(found.sides[0]?.points.map((point) => [point.x, point.y])).toEqual([
      [0, 2 ** 20],
      [2, 3 * 2 ** 20],
    ])
    expect(found.y.ticks.map((tick) => tick.text)).toContain('1\u202fMiB')
  })
})
