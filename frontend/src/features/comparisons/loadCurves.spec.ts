import { describe, expect, it } from 'vitest'

import {
  curvesOf,
  curvesSentence,
  firstEnvelope,
  insideEnvelope,
  kneeAmong,
  saturationOf,
  loadLines,
  shortLevel,
  stepEnvelope,
  variantOf,
} from './loadCurves'
import { levels, testComparison } from './testComparison'

const lines = loadLines(testComparison, testComparison.sides, 'reads', 'p99_us')
const points = (...pairs: [number, number][]) => pairs.map(([throughput, latency]) => ({ throughput, latency }))

describe('loadLines', () => {
  it('is a line a side, by rising load', () => {
    expect(lines.map((line) => [line.side.key, line.points.map((point) => point.label)])).toEqual([
      ['redis', ['1', '4', '8']],
      ['memcached', ['1', '4', '8']],
      ['rocksdb', ['1', '4', '8']],
    ])
  })

  it('keeps a load of each side’s own apart, though it is called like an ordinary one', () => {
    const own = { kind: 'closed', value: 0, label: '16 clients', own: true } as const
    const cell = { ...testComparison.cells[0]!, load_level: { kind: 'closed', value: 3, label: '16 clients' } as const }
    const both = { load_levels: [...levels, own], cells: [...testComparison.cells, cell] }
    const found = loadLines(both, [testComparison.sides[0]!], 'reads', 'p99_us')
    expect(found.map((line) => [line.variant, line.points.map((point) => point.label)])).toEqual([
      ['', ['1', '4', '8']],
      ['16 clients', ['3']],
    ])
  })

  it('keeps another kind of load apart, and leaves out what has no figure', () => {
    const deep = { ...levels[0]!, label: '1 client, pipeline 10' }
    const cell = { ...testComparison.cells[0]!, load_level: deep }
    const both = { load_levels: [...levels, deep], cells: [...testComparison.cells, cell] }
    const found = loadLines(both, [testComparison.sides[0]!], 'reads', 'p99_us')
    expect(found.map((line) => [line.variant, line.points.length])).toEqual([
      ['', 3],
      ['pipeline 10', 1],
    ])
    expect(loadLines(both, testComparison.sides, 'reads', 'p50_us')).toEqual([])
  })
})

describe('levels in short', () => {
  it('are their number, and what else they have', () => {
    expect(['1 client', '300 clients, pipeline 10', 'a peak'].map(shortLevel)).toEqual(['1', '300', 'a peak'])
    expect(['8 clients', '300 clients, pipeline 10'].map(variantOf)).toEqual(['', 'pipeline 10'])
  })
})

describe('saturationOf', () => {
  it('is where throughput stands still while latency grows', () => {
    expect(saturationOf(points([10, 1], [20, 2], [20.5, 5], [20, 11]))).toBe(1)
  })

  it('is not where a later load does more after all', () => {
    expect(saturationOf(points([10, 1], [10, 2], [30, 3]))).toBeNull()
    expect(saturationOf(points([10, 1], [20, 2], [40, 3]))).toBeNull()
  })

  it('is not where latency does not grow, nor at the last load', () => {
    expect(saturationOf(points([10, 5], [10, 4]))).toBeNull()
    expect(saturationOf(points([10, 1]))).toBeNull()
    expect(saturationOf([])).toBeNull()
  })
})

describe('insideEnvelope', () => {
  it('is the highest measured throughput whose latency stays inside', () => {
    const found = insideEnvelope(lines, 'p99_us', 500)
    expect(found.map((one) => one.best?.label)).toEqual(['4', '1', '1'])
    expect(found.map((one) => one.all)).toEqual([false, false, false])
  })

  it('says when nothing stays inside, when all does, and when some repeats leave', () => {
    expect(insideEnvelope(lines, 'p99_us', 10).every((one) => one.best === null)).toBe(true)
    expect(insideEnvelope(lines, 'p99_us', 1e6).every((one) => one.all)).toBe(true)
    const [redis] = insideEnvelope(lines, 'p99_us', 405)
    expect([redis?.best?.label, redis?.doubtful]).toEqual(['4', true])
  })
})

describe('envelopes', () => {
  it('begin at 1 ms where that divides the points, else at a round figure among them', () => {
    expect(firstEnvelope([100, 5000])).toBe(1000)
    expect(firstEnvelope([20, 45, 80])).toBe(50)
    expect(firstEnvelope([])).toBe(1000)
  })

  it('move in steps of two figures, there and back', () => {
    expect(stepEnvelope(1000, 1)).toBe(1100)
    expect(stepEnvelope(1000, 20)).toBe(10_000)
    expect(stepEnvelope(stepEnvelope(1000, 1), -1)).toBeCloseTo(980, -2)
  })
})

describe('curvesOf', () => {
  it('says where it is saturated, crosses the range of the repeats, and tells both figures', () => {
    const [redis] = curvesOf(lines, 'p99_us')
    expect(redis?.points.map((point) => point.tip.at(-1)?.startsWith('Saturated'))).toEqual([false, true, false])
    expect(redis?.points[0]?.xRange).toEqual([9000, 11_000])
    expect(redis?.points[1]?.tip.join(' ')).toContain('p99 latency: 400\u202fµs')
  })

  it('rings the knee that the server tells of just that line', () => {
    const told = (changes: object) => [
      { side: 'redis', workload: 'reads', variant: '', load_kind: 'closed', knee: '8 clients', ...changes },
    ]
    const rings = (changes: object) =>
      curvesOf(lines, 'p99_us', kneeAmong(told(changes) as never, 'reads'))[0]?.points.map((point) => point.ringed)
    expect(rings({})).toEqual([false, false, true])
    expect(rings({ workload: 'scans' })).toEqual([false, false, false])
    expect(rings({ side: 'rocksdb' })).toEqual([false, false, false])
    expect(rings({ knee: null })).toEqual([false, false, false])
  })

  it('is a sentence for those who do not see it', () => {
    expect(curvesSentence(lines, 'p99_us')).toContain('redis: from 10.0\u202fk op/s at 100\u202fµs with 1 client to')
  })
})
