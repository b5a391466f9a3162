import { describe, expect, it } from 'vitest'

import type { Search, SearchPoint } from '@/api'

import { searchCharts } from './searchCharts'

const estimate = (median: number) => ({ median, low: median * 0.9, high: median * 1.1, is_interval: false, repeats: 2 })
const point = (value: number, throughput: number): SearchPoint => ({
  load_level: { kind: 'closed', value, label: `${value} clients` },
  value,
  throughput: estimate(throughput),
  latency_us: estimate(value * 100),
  mean_us: null,
  efficiency: throughput / value / 1000,
  efficiency_low: value === 1 ? null : 0.4,
  efficiency_high: value === 1 ? null : 0.95,
  efficiency_is_interval: true,
  throughput_times: throughput / 1000,
  latency_times: value,
  failures: [],
  runs: ['a'],
})
const search = (changes: Partial<Search> = {}): Search => ({
  target: 'redis',
  workload: 'reads',
  load_level: { kind: 'closed', value: 1, label: '1 client' },
  axis: 'clients',
  latency: 'p99_us',
  envelope_us: null,
  over: true,
  outcome: 'done',
  sentence: '',
  points: [point(1, 1000), point(4, 3000)],
  steps: [],
  knee: 4,
  knee_inside: false,
  saturation: 4,
  scalability: {
    throughput_of_one: 1000,
    contention: { value: 0.1, low: 0, high: 1 },
    coherency: { value: 0, low: 0, high: null },
    r_squared: 1,
    peak_clients: null,
    note: '',
    line: [{ clients: 1, throughput: 1000, efficiency: 1 }],
  },
  scalability_note: '',
  operating_point: null,
  best: 4,
  ...changes,
})
const targets = [
  { name: 'redis', label: 'Redis', system_id: 'redis', colour: '#D55E00', mark: '●', hollow: false, beside: false },
] as Parameters<typeof searchCharts>[1]

describe('charts of searches', () => {
  it('are of clients throughput and efficiency on a logarithmic axis, with the law', () => {
    const [throughput, efficiency, ...more] = searchCharts([search()], targets)
    expect([throughput?.title, efficiency?.title, more]).toEqual(['Throughput by clients', 'Scaling efficiency', []])
    expect([throughput?.x.kind, throughput?.y.kind, efficiency?.y.kind]).toEqual(['log', 'log', 'linear'])
    expect(throughput?.fits[0]?.points).toEqual([[1, 1000]])
    expect(efficiency?.sides[0]?.points.map(({ x, y, yRange, ringed }) => [x, y, yRange, ringed])).toEqual([
      [1, 1, null, false],
      [4, 0.75, [0.4, 0.95], true],
    ])
    expect(efficiency?.table.rows[1]).toEqual(['Redis', '4 clients', 0.75, 0.4, 0.95, '95 % interval', 2])
    expect(efficiency?.sentence).toContain('to 75\u202f% at 4 clients')
  })

  it('are of a ladder what each depth gives, and what it is paid with', () => {
    const ladder = search({ axis: 'depth', scalability: null, knee: null })
    const [throughput, latency, ...more] = searchCharts([ladder], targets)
    expect([throughput?.title, latency?.title, more]).toEqual(['Throughput by depth', 'p99 by depth', []])
    expect(latency?.sides[0]?.points.map(({ y }) => y)).toEqual([100, 400])
    expect(latency?.sides[0]?.points[1]?.tip).toContain('4\u202f× as long as the first')
    expect(throughput?.table.columns.slice(-2)).toEqual(['throughput, times', 'p99, times'])
    expect(throughput?.table.rows[1]?.slice(-2)).toEqual([3, 4])
  })

  it('are of rates throughput alone: they do not scale with anybody who waits', () => {
    expect(searchCharts([search({ axis: 'rate', scalability: null })], targets)).toHaveLength(1)
    expect(searchCharts([], targets)).toEqual([])
  })
})
