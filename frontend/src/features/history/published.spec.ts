import { describe, expect, it } from 'vitest'

import type { PublishedSource } from '@/api'

import { publishedOf } from './published'

const figure = (name: string, value: number | null, operation = 'all') => ({
  figure: name,
  operation,
  value,
  printed: value === null ? '' : `${value} µs`,
  setting: '',
})
const cell = (clients: number | null, pipeline: number | null, figures: object[], label = '') => ({
  side: 'one',
  workload: 'a',
  run: '',
  load: { clients, pipeline, rate: null, label },
  figures,
})
const source = {
  source: { title: 'A long title of a paper on many stores' },
  results: {
    sides: [{ name: 'one', label: 'Redis', system: 'redis' }],
    cells: [
      cell(32, 1, [figure('p99_us', 900, 'READ'), figure('p99_us', 1200, 'UPDATE'), figure('p99_us', null, 'SCAN')]),
      cell(32, 10, [figure('p99_us', 4000)]),
      cell(1, null, [figure('p99_us', 300)]),
      cell(null, null, [figure('p99_us', 700)], '32 clients'),
    ],
  },
} as unknown as PublishedSource
const of = (metric: string, label: string, key = 'id~one') =>
  publishedOf(key, source, { metric, load_level: { label } } as never, '#123456', String)

describe('publishedOf', () => {
  it('takes figures of the same name and load alone, one an operation where none is of all', () => {
    expect(of('p99_us', '32 clients')!.levels.map((one) => one.value)).toEqual([900, 1200, 700])
    expect(of('p99_us', '32 clients, pipeline 10')!.levels.map((one) => one.value)).toEqual([4000])
    expect(of('p99_us', '1 client')!.levels.map((one) => one.value)).toEqual([300])
    expect(of('throughput', '32 clients')!.levels).toEqual([])
  })
  it('names each with its source, and says that it was not measured here', () => {
    const [level] = of('p99_us', '32 clients')!.levels
    expect(level!.name).toBe('◌ Redis, published: A long title of a paper on…, READ, a')
    expect(level!.tip).toEqual([
      'Redis: 900 µs',
      'READ, a, 32 clients',
      'Published, not measured here: A long title of a paper on many stores',
    ])
  })
  it('shows nothing of a side that the source has no more', () => {
    expect(of('p99_us', '32 clients', 'id~two')).toBeNull()
  })
})
