import { describe, expect, it } from 'vitest'

import type { System } from '@/api'

import { groupsOf } from './groups'

const of = (id: string, kind: 'system' | 'tool', last_run_at: string | null = null) =>
  ({ id, kind, last_run_at }) as System

describe('groups of systems', () => {
  it('has databases apart from load tools, what ran last first and the rest in their order', () => {
    const groups = groupsOf([
      of('aerospike', 'system'),
      of('ycsb', 'tool'),
      of('redis', 'system', '2026-11-29T08:00:00Z'),
      of('rocksdb', 'system', '2026-11-30T08:00:00Z'),
      of('cassandra', 'system'),
    ])
    expect(groups.map((one) => [one.title, one.systems.map((it) => it.id)])).toEqual([
      ['Databases', ['rocksdb', 'redis', 'aerospike', 'cassandra']],
      ['Load tools', ['ycsb']],
    ])
  })
  it('has none that would be empty', () => {
    expect(groupsOf([of('redis', 'system')]).map((one) => one.title)).toEqual(['Databases'])
    expect(groupsOf([])).toEqual([])
  })
})
