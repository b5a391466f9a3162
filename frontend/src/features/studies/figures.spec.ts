import { describe, expect, it } from 'vitest'

import type { StudyFigure, StudySide } from '@/api'

import { grouped } from './figures'

const sides: StudySide[] = [
  {
    name: 'redis',
    label: 'Redis',
    system_id: 'redis',
    colour: '#d55e00',
    mark: '●',
    hollow: false,
    measured: true,
    because: '',
  },
]

function figure(changes: Partial<StudyFigure>): StudyFigure {
  return {
    side: 'redis',
    workload: 'balanced',
    load: '1 client',
    load_value: 1,
    figure: 'throughput',
    printed: '1,000 ops/s',
    value: 1000,
    setting: '',
    place: 'table 1',
    ours: { median: 10_000, low: 9_000, high: 11_000, kind: 'interval', repeats: 5, confidence: 0.95 },
    ...changes,
  }
}

describe('figures of a study', () => {
  it('puts printed figures and ours on one axis of their figure and workload', () => {
    const [group, ...others] = grouped([figure({}), figure({ load: '8 clients' })], sides)
    expect(others).toEqual([])
    expect(group?.lines).toHaveLength(2)
    const at = group?.lines[0]?.at
    expect(at?.printed).toBeGreaterThanOrEqual(0)
    expect(at?.ours).toBeLessThanOrEqual(1)
    expect(at?.printed ?? 1).toBeLessThan(at?.low ?? 0)
    expect(at?.low ?? 1).toBeLessThan(at?.ours ?? 0)
    expect(group?.ticks.map((tick) => tick.at)).toEqual([0, 0.5, 1])
  })

  it('keeps figures and workloads apart', () => {
    const groups = grouped([figure({}), figure({ workload: 'scans' }), figure({ figure: 'p99_us', value: 400 })], sides)
    expect(groups.map((one) => `${one.label} ${one.workload}`)).toEqual([
      'Throughput balanced',
      'Throughput scans',
      'p99 latency balanced',
    ])
  })

  it('says what was not measured, in words too', () => {
    const [group] = grouped([figure({ ours: null })], sides)
    expect(group?.lines[0]?.ours).toBe('')
    expect(group?.lines[0]?.at.ours).toBeNull()
    expect(group?.lines[0]?.sentence).toBe('Redis, 1 client: printed 1,000 ops/s; not measured here')
  })

  it('draws a single figure without a span', () => {
    const [group] = grouped([figure({ ours: null, value: 1000 })], sides)
    const at = group?.lines[0]?.at.printed ?? -1
    expect(at).toBeGreaterThanOrEqual(0)
    expect(at).toBeLessThanOrEqual(1)
  })
})
