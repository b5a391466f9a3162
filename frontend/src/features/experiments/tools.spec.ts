import { describe, expect, it } from 'vitest'

import type { System } from '@/api'

import { choicesOf, toolsFor } from './tools'

const system = (id: string, driver: string): System =>
  ({ id, name: id.toUpperCase(), kind: 'system', driver, tool_drivers: [] as string[] }) as unknown as System
const tool = (id: string, drivers: string[]): System =>
  ({ id, name: id.toUpperCase(), kind: 'tool', driver: id, tool_drivers: drivers }) as unknown as System

const redis = system('redis', 'resp')
const cassandra = system('cassandra', 'cql')
const all = [
  redis,
  cassandra,
  tool('redis-benchmark', ['resp']),
  tool('cassandra-stress', ['cql']),
  tool('ycsb', ['resp', 'mongodb']),
]

describe('load tools of a target', () => {
  it('are those that stand in for the driver of its system', () => {
    const ids = (one: System | undefined, chosen?: string) => toolsFor(all, one, chosen).map((each) => each.id)
    expect(ids(redis)).toEqual(['redis-benchmark', 'ycsb'])
    expect(ids(cassandra)).toEqual(['cassandra-stress'])
    expect(ids(undefined)).toEqual([])
  })

  it('include the one that is chosen, that it can be seen and changed', () => {
    expect(toolsFor(all, cassandra, 'ycsb').map((each) => each.id)).toEqual(['cassandra-stress', 'ycsb'])
    expect(toolsFor(all, undefined, 'ycsb').map((each) => each.id)).toEqual(['ycsb'])
  })

  it('are named as a field of choices wants them', () => {
    expect(choicesOf([redis])).toEqual([{ value: 'redis', label: 'REDIS' }])
  })
})
