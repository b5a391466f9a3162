import { describe, expect, it } from 'vitest'

import { cellNamed, readField, toComparison, writeFields, type AddressFields, type AddressQuery } from '@/ui'

import { testComparison } from './testComparison'
import { arranged, moved, questionOf, VIEW_FIELDS } from './view'

describe('questionOf', () => {
  const nothing = { campaign: '', base: '', side: [], baseline: 0, cell: '' }

  it('is nothing when the address names nothing', () => {
    expect(questionOf(nothing)).toBeNull()
    expect(questionOf({ ...nothing, base: 'b' })).toBeNull()
  })

  it('is a campaign, with a base only beside one, or sides', () => {
    expect(questionOf({ ...nothing, campaign: 'a', base: 'b' })).toEqual({ campaign: 'a', base: 'b', baseline: 0 })
    expect(questionOf({ ...nothing, side: ['a~x'], baseline: 1 })).toEqual({ side: ['a~x'], baseline: 1 })
  })

  it('is of one cell where the address names one', () => {
    expect(questionOf({ ...nothing, campaign: 'a', cell: 'reads~8 clients' })).toEqual({
      campaign: 'a',
      baseline: 0,
      cell: 'reads~8 clients',
    })
  })
})

describe('the address', () => {
  it('holds every choice, and gives it back', () => {
    const choices = {
      campaign: 'c',
      baseline: 2,
      hidden: [1],
      order: [2, 0, 1],
      percentile: 'p99.9' as const,
      envelope: 1500,
      workload: 'read-heavy',
      tab: 'memory' as const,
      by: 'p50_us',
      load: '8 clients',
      figure: 'all',
      find: 'rocksdb more',
      sort: 'ratio' as const,
      long: true,
      row: '0-1-0-2',
    }
    const query = writeFields(VIEW_FIELDS, {}, choices)
    for (const [name, value] of Object.entries(choices))
      expect(readField(VIEW_FIELDS[name as keyof typeof VIEW_FIELDS] as never, query, name)).toEqual(value)
  })
})

describe('a link to a comparison', () => {
  it('says what the page reads', () => {
    const [a, b] = ['a', 'b'].map((campaign) => ({ campaign, target: 'redis' }))
    const cell = { workload: 'reads', level: '50000 ops/s' }
    const query = toComparison({ sides: [a!, b!], cell, figure: 'p99_us' }).query ?? {}
    const fields: AddressFields = VIEW_FIELDS
    const read = (name: keyof typeof VIEW_FIELDS) => readField(fields[name]!, query as AddressQuery, name)
    expect(Object.keys(query).filter((name) => !(name in VIEW_FIELDS))).toEqual([])
    expect(read('side')).toEqual(['a~redis', 'b~redis'])
    expect(cellNamed(String(read('cell')))).toEqual(cell)
    expect(read('figure')).toBe('p99_us')
  })
})

describe('arranged', () => {
  const keys = (order: number[], hidden: number[] = []) =>
    arranged(testComparison, order, hidden).map((side) => `${side.key}${side.hidden ? ' hidden' : ''}`)

  it('is the server’s order until another is wanted', () => {
    expect(keys([])).toEqual(['redis', 'memcached', 'rocksdb'])
    expect(keys([2, 0])).toEqual(['rocksdb', 'redis', 'memcached'])
    expect(keys([7, 1])).toEqual(['memcached', 'redis', 'rocksdb'])
  })

  it('hides what is to be hidden, but never the baseline', () => {
    expect(keys([], [0, 2])).toEqual(['redis', 'memcached', 'rocksdb hidden'])
  })
})

describe('moved', () => {
  it('moves a side, and is nothing where all stands as it came', () => {
    const sides = arranged(testComparison, [], [])
    expect(moved(sides, 0, 2)).toEqual([1, 2, 0])
    expect(moved(arranged(testComparison, [1, 0, 2], []), 0, 1)).toEqual([])
  })
})
