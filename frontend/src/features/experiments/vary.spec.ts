import { describe, expect, it } from 'vitest'

import type { Setting } from './settings'
import { offeredValues, variantName, varied, writtenValues } from './vary'

const FSYNC: Setting = { name: 'appendfsync', called: 'appendfsync', property: { enum: ['always', 'everysec', 'no'] } }
const LOG: Setting = { name: 'appendonly', called: 'appendonly', property: { type: 'boolean' } }
const THREADS: Setting = {
  name: 'io_threads',
  called: 'io-threads',
  property: { type: 'integer', minimum: 1, maximum: 128 },
}

describe('values of a setting', () => {
  it('are offered where there are few', () => {
    expect(offeredValues(FSYNC)).toEqual(['always', 'everysec', 'no'])
    expect(offeredValues(LOG)).toEqual([true, false])
    expect(offeredValues(THREADS)).toEqual([])
  })

  it('are written with commas, each once; what is none is named', () => {
    expect(writtenValues('1, 4 8,4', THREADS)).toEqual({ values: [1, 4, 8], unclear: [] })
    expect(writtenValues('0, 2.5, many, 200', THREADS).unclear).toEqual(['0', '2.5', 'many', '200'])
    const save: Setting = { name: 'save', called: 'save', property: { type: 'string' } }
    expect(writtenValues('60 100, 3600 1', save).values).toEqual(['60 100', '3600 1'])
  })
})

describe('a target whose setting is varied', () => {
  const redis = { name: 'redis', system: 'redis', parameters: { appendonly: true } }

  it('keeps its name and its value, and others stand beside it', () => {
    const found = varied(redis, 'parameters', 'appendfsync', ['always', 'everysec'], 'everysec', ['redis'])
    expect(found).toEqual([
      { name: 'redis', system: 'redis', parameters: { appendonly: true, appendfsync: 'everysec' } },
      { name: 'redis-always', system: 'redis', parameters: { appendonly: true, appendfsync: 'always' } },
    ])
  })

  it('takes the first value where its own is not asked for', () => {
    const found = varied(redis, 'driver_options', 'layout', ['string', 'json'], 'hash', ['redis', 'redis-json'])
    expect(found.map((one) => [one['name'], one['driver_options']])).toEqual([
      ['redis', { layout: 'string' }],
      ['redis-json-2', { layout: 'json' }],
    ])
    expect(varied(redis, 'parameters', 'hz', [], 10, [])).toEqual([redis])
  })

  it('has names that documents take', () => {
    expect(variantName('redis', '60 100', [])).toBe('redis-60-100')
    expect(variantName('redis', '', [])).toBe('redis-empty')
    expect(variantName('redis', true, ['redis-yes'])).toBe('redis-yes-2')
    expect(variantName('x'.repeat(60), 'always', []).length).toBeLessThan(64)
  })
})
