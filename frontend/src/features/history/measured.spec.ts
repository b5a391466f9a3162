import { describe, expect, it } from 'vitest'

import type { SeriesSummary } from '@/api'

import { measuredOf } from './measured'

const series = (metric: string, clients: number, last_value: number | null, of = {}): SeriesSummary => ({
  id: `${metric} ${clients} ${JSON.stringify(of)}`,
  system_id: 'redis',
  target: 'redis',
  target_name: 'Redis',
  workload: 'balanced',
  load_level: { kind: 'closed', value: clients, label: `${clients} clients`, own: false },
  metric,
  points_count: 1,
  change_points_count: 0,
  course: [],
  last_value,
  last_at: '2026-11-26T01:00:00Z',
  experiment: { id: 'one', name: 'One' },
  ...of,
})

describe('what was measured of a system', () => {
  it('stands by target and workload, from the least load to the most, with its p99', () => {
    const found = measuredOf(
      [series('throughput', 16, 90_000), series('throughput', 1, 20_000)],
      [series('p99_us', 1, 80)],
    )
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ experiment: 'One', target: 'Redis', workload: 'balanced' })
    expect(found[0]!.levels.map(({ label, p99 }) => [label, p99?.last_value])).toEqual([
      ['1 clients', 80],
      ['16 clients', undefined],
    ])
  })

  it('begins with the latest, and leaves out what has no figure', () => {
    const later = { experiment: { id: 'two', name: 'Two' }, last_at: '2026-11-27T01:00:00Z' }
    const found = measuredOf(
      [series('throughput', 1, 1), series('throughput', 1, 2, later), series('throughput', 2, null, { target: 'b' })],
      [],
    )
    expect(found.map(({ experiment }) => experiment)).toEqual(['Two', 'One'])
  })
})
