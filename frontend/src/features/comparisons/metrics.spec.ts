import { describe, expect, it } from 'vitest'

import type { Comparison, ComparisonCell } from '@/api'

import { currentName, distinct, hasMetric, METRICS, untold, written } from './metrics'
import { COMPLETE } from './testComparison'

const level = { kind: 'closed' as const, value: 1, label: '1 client' }
const cell: ComparisonCell = {
  side: 'a',
  workload: 'reads',
  load_level: level,
  status: 'completed',
  failed_runs: [{ run_id: '3', repetition: 3, status: 'failed', failure: null }],
  repeats: [
    { run_id: '1', repetition: 1, figures: { throughput: 90 } },
    { run_id: '2', repetition: 2, figures: {} },
  ],
  figures: {
    throughput: {
      median: 90,
      low: 80,
      high: 100,
      repeats: 1,
      kind: 'interval' as const,
      confidence: 0.95,
      statistic: 'counted' as const,
    },
  },
  failed_repeats: null,
  failed_operations: null,
}
const side = {
  key: 'a',
  label: 'Redis',
  campaign_id: 'c',
  campaign_number: 1,
  target: 'redis',
  system_id: 'redis',
  colour: '#D55E00',
  mark: '●',
  hollow: false,
  version: '7',
}
const comparison: Comparison = {
  completeness: COMPLETE,
  published: [],
  sides: [side, { ...side, key: 'b', label: 'RocksDB' }],
  baseline: 0,
  workloads: ['reads'],
  load_levels: [level],
  cells: [cell],
  headline: { badge: '', tone: 'open', so_far: false, failed: '', sentence: '', sure: '' },
  leads: [],
  readings: [],
  caveats: [],
  differences: [],
  rankings: [],
  fairness: [],
  unmatched: [],
  disclosure: {
    completeness: 0,
    asked: 0,
    answered: 0,
    basis: 'plan',
    sections: [],
    items: [],
    publication: 'unknown',
    decisions: [],
  },
}

describe('distinct', () => {
  it('keeps the colour of a system, makes its second side hollow, and its third paler too', () => {
    const another = { ...side, system_id: 'x', colour: '#0072B2', mark: '■' }
    const [first, second, third, other] = distinct([side, side, side, another])
    expect(first).toEqual(side)
    expect([second?.mark, second?.colour]).toEqual(['○', side.colour])
    expect([third?.mark, third?.colour === side.colour]).toEqual(['○', false])
    expect(other?.colour).toBe('#0072B2')
  })
})

describe('hasMetric', () => {
  it('says whether there is anything to draw', () => {
    expect(hasMetric(comparison, 'throughput')).toBe(true)
    expect(hasMetric(comparison, 'memory_after_bytes')).toBe(false)
  })
})

describe('memory', () => {
  it('figures are each called what it is', () => {
    const labels = METRICS.filter((one) => one.key.startsWith('memory')).map((one) => [one.key, one.label])
    expect(labels).toEqual([
      ['memory_after_bytes', 'Memory after the run'],
      ['memory_after_load_bytes', 'Memory after the load'],
      ['memory_before_bytes', 'Memory before the load'],
      ['memory_per_record_bytes', 'Memory a record'],
    ])
    expect(currentName('memory_bytes')).toBe('memory_after_load_bytes')
  })
})

describe('untold', () => {
  it('is what lies within the floor, where there is one', () => {
    const small = { relative: -0.02, floor: 0.03, verdict: 'inconclusive' as const }
    expect(untold(small)).toBe(true)
    expect(untold({ ...small, relative: -0.04 })).toBe(false)
    expect(untold({ ...small, floor: null })).toBe(false)
    expect(untold({ ...small, verdict: 'changed' })).toBe(false)
  })
})

describe('written', () => {
  it('puts value and unit together, and says when there is nothing', () => {
    expect(written(METRICS[1]!, 1500)).toBe('1.50\u202fms')
    expect(written(METRICS[1]!, null)).toBe('–')
  })
})
