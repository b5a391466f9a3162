import { describe, expect, it } from 'vitest'

import type { ScaledLine, Scaling } from '@/api'

import { efficiency, kneeWords, lawRows, lawTable } from './scaling'
import { COMPLETE, testComparison, testEstimate } from './testComparison'

const { sides, load_levels: levels } = testComparison
const shares = [
  [1, null, null],
  [0.9, 0.8, 1],
  [0.5, 0.45, 0.55],
] as const
const line = (changes: Partial<ScaledLine> = {}): ScaledLine => ({
  side: 'redis',
  workload: 'reads',
  load_kind: 'closed',
  variant: '',
  points: shares.map(([share, low, high], at) => ({
    load_level: levels[at]!,
    throughput: testEstimate(1000 * levels[at]!.value * share),
    efficiency: share,
    efficiency_low: low,
    efficiency_high: high,
    efficiency_is_interval: at === 2,
  })),
  knee: '4 clients',
  knee_inside: true,
  saturation: '4 clients',
  scalability: {
    throughput_of_one: 1000,
    contention: { value: 0.05, low: 0.01, high: 0.1 },
    coherency: { value: 0.002, low: 0, high: null },
    r_squared: 0.99,
    peak_clients: { value: 21.4, low: 16, high: null },
    note: '',
    line: [
      { clients: 1, throughput: 1000, efficiency: 1 },
      { clients: 8, throughput: 4000, efficiency: 0.5 },
    ],
  },
  scalability_note: '',
  ...changes,
})
const scaling: Scaling = {
  completeness: COMPLETE,
  lines: [
    line(),
    line({ variant: 'pipeline 10', scalability: null, scalability_note: 'too few', knee: null }),
    line({ side: 'memcached', knee_inside: false }),
    line({ side: 'memcached', load_kind: 'open' }),
    line({ side: 'memcached', workload: 'scans' }),
    line({ side: 'gone' }),
  ],
}

describe('scaling efficiency', () => {
  const found = efficiency(scaling, sides, 'reads')

  it('is what the server says, with its intervals, the knee ringed', () => {
    expect(found.sides.map(({ name, key }) => [name, key])).toEqual([
      ['redis', 'redis'],
      ['redis, pipeline 10', 'redis'],
      ['memcached', 'memcached'],
    ])
    const [redis] = found.sides
    expect(redis?.points.map(({ x, y, yRange, ringed }) => [x, y, yRange, ringed])).toEqual([
      [1, 1, null, false],
      [4, 0.9, [0.8, 1], true],
      [8, 0.5, [0.45, 0.55], false],
    ])
    expect(redis?.points[2]?.tip).toContain('95 % interval 45\u2009% to 55\u2009%')
    expect(redis?.points[1]?.tip).toContain('range of 2 repeats 80\u2009% to 100\u2009%')
    expect(found.x.kind).toBe('log')
  })

  it('draws the law over what was measured, and none where none is told', () => {
    expect(found.fits?.map((fit) => fit.points)).toEqual([
      [
        [1, 1],
        [8, 0.5],
      ],
      [
        [1, 1],
        [8, 0.5],
      ],
    ])
  })

  it('has the same figures as a table', () => {
    expect(found.table.rows[1]).toEqual(
      ['redis', '4 clients', 90, 80, 100, 'range of 2 repeats', 3600, 900, 2, 'knee'],
    ) // prettier-ignore
    expect(found.table.rows[0]?.slice(3, 6)).toEqual([null, null, null])
  })

  it('tells knee and law of each line, or why there is none', () => {
    const [redis, deep, memcached] = lawRows(scaling, sides, 'reads')
    expect([redis?.contention, redis?.coherency, redis?.peak]).toEqual([
      '0.05 (0.01 to 0.1)',
      '0.002 (0 to …)',
      '21 (16 to …)',
    ])
    expect([deep?.name, deep?.contention, deep?.note]).toEqual(['redis, pipeline 10', '–', 'too few'])
    expect(memcached?.knee).toBe('4 clients, at the edge')
    expect(kneeWords({ knee_inside: false })).toContain('may lie outside')
    expect(lawTable(scaling, sides, 'reads').rows[0]?.slice(3, 6)).toEqual([0.05, 0.01, 0.1])
  })
})
