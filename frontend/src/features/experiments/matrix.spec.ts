import { describe, expect, it } from 'vitest'

import { excludedBy, isOfOne, pointsFor, wordsOf } from './matrix'

const REDIS = { name: 'redis', system: 'redis' }
const OTHER = { name: 'cache', system: 'memcached' }

describe('what is measured', () => {
  it('is all that no exclusion names', () => {
    const exclusions = [
      { system: 'memcached', workload: 'scans' },
      { target: 'redis', load: '8 clients' },
    ]
    expect(excludedBy(exclusions, OTHER, 'scans')).toBe(0)
    expect(excludedBy(exclusions, OTHER, 'reads')).toBeNull()
    expect(excludedBy(exclusions, REDIS, 'scans')).toBeNull()
  })

  it('is given back by removing an exclusion of one place alone', () => {
    expect(isOfOne({ target: 'redis', workload: 'scans' })).toBe(true)
    expect(isOfOne({ workload: 'scans', system: 'redis' })).toBe(false)
    expect(isOfOne({ target: 'redis', workload: 'scans', load: '8 clients' })).toBe(false)
  })

  it('is named in words', () => {
    expect(wordsOf({ target: 'redis', workload: 'scans', load: '8 clients' })).toBe('redis under scans at 8 clients')
    expect(wordsOf({ system: 'memcached', workload: 'scans' })).toBe('all of memcached under scans')
  })
})

describe('operating points', () => {
  it('are added for the targets that have none', () => {
    const document = { targets: [REDIS, OTHER, { system: 'redis' }] }
    expect(pointsFor(document, [{ target: 'redis', load: { model: 'open' } }])).toEqual([
      { target: 'cache', load: { model: 'closed', clients: 8 } },
    ])
    expect(pointsFor(document, undefined)).toHaveLength(2)
  })
})
