import { describe, expect, it } from 'vitest'

import { figureOf, IN_ORDER } from './figureOf'

describe('figures', () => {
  it('stand in the order that people read them in', () => {
    expect(IN_ORDER.slice(0, 3).map(({ key }) => key)).toEqual(['throughput', 'p99_us', 'p50_us'])
  })

  it('are found by name, and any percentile, too', () => {
    expect(figureOf('throughput')?.label).toBe('Throughput')
    expect(figureOf('p975_us')).toMatchObject({ label: 'p97.5 latency', short: 'p97.5', unit: 'µs' })
    expect(figureOf('p75_us')?.short).toBe('p75')
    expect(figureOf('p5_us')).toBeUndefined()
    expect(figureOf('p00_us')).toBeUndefined()
    expect(figureOf('nonsense')).toBeUndefined()
  })
})
