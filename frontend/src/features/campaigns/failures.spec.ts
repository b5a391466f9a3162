import { describe, expect, it } from 'vitest'

import type { Campaign } from '@/api'

import { failuresOf } from './failures'

const failed = (id: string, message: string) => ({ id, status: 'failed', failure: { message, hint: 'Install it.' } })
const campaign = {
  cells: [
    { target: 'redis', runs: [{ id: '1', status: 'completed', failure: null }, failed('2', 'It died.')] },
    { target: 'aerospike', runs: [failed('3', 'No server.'), failed('4', 'No server.')] },
    { target: 'aerospike', runs: [failed('5', 'No server.'), { id: '6', status: 'failed', failure: null }] },
  ],
} as unknown as Campaign

describe('why runs failed', () => {
  it('is told once for each target and reason, what most failed for first', () => {
    expect(failuresOf(campaign).map(({ target, message, count, run }) => [target, message, count, run])).toEqual([
      ['aerospike', 'No server.', 3, '3'],
      ['redis', 'It died.', 1, '2'],
      ['aerospike', 'It is not known why.', 1, '6'],
    ])
  })

  it('is nothing where none did', () => {
    expect(failuresOf({ cells: [] })).toEqual([])
  })
})
