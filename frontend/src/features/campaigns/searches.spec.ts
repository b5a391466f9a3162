import { describe, expect, it } from 'vitest'

import type { Search, SearchPoint } from '@/api'

import { curvesOf, factsOf, groupsOf, latencyName, lawText, loadText, searchesSentence } from './searches'

const estimate = (median: number) => ({ median, low: median * 0.9, high: median * 1.1, is_interval: false, repeats: 2 })
const point = (clients: number, throughput: number | null): SearchPoint => ({
  load_level: { kind: 'closed', value: clients, label: `${clients} clients` },
  throughput: throughput === null ? null : estimate(throughput),
  latency_us: throughput === null ? null : estimate(clients * 100),
  value: clients,
  mean_us: null,
  throughput_times: null,
  latency_times: null,
  efficiency: throughput === null ? null : throughput / clients / 1000,
  failures: throughput === null ? ['it crashed'] : [],
  runs: ['a', 'b'],
})
const search = (changes: Partial<Search> = {}): Search => ({
  target: 'redis',
  workload: 'reads',
  load_level: { kind: 'closed', value: 1, label: '1 client' },
  axis: 'clients',
  latency: 'p99_us',
  envelope_us: null,
  over: true,
  outcome: 'stopped',
  sentence: 'Throughput falls.',
  points: [point(1, 1000), point(2, 1900), point(4, 2000), point(8, null)],
  steps: [],
  knee: 2,
  knee_inside: true,
  saturation: 4,
  scalability: null,
  scalability_note: '3 numbers of clients cannot tell contention from coherency.',
  operating_point: null,
  best: null,
  ...changes,
})
const targets = [
  { name: 'redis', label: 'Redis', system_id: 'redis', colour: '#D55E00', mark: '●', hollow: false, beside: false },
] as Parameters<typeof curvesOf>[1]

describe('searches of a campaign', () => {
  it('stand together by workload, and by beginning where there are several', () => {
    const deep = { kind: 'closed', value: 1, label: '1 client, pipeline 10' } as const
    const one = groupsOf([search(), search({ target: 'memcached' })])
    expect(one.map(({ label, searches }) => [label, searches.length])).toEqual([['reads', 2]])
    const several = groupsOf([search(), search({ load_level: deep })])
    expect(several.map(({ label }) => label)).toEqual(['reads from 1 client', 'reads from 1 client, pipeline 10'])
  })

  it('are curves of what was measured, the knee ringed', () => {
    const [side] = curvesOf([search()], targets)
    expect(side?.points.map(({ label, ringed }) => [label, ringed])).toEqual([
      ['1', false],
      ['2', true],
      ['4', false],
    ])
    expect(side?.points[1]?.tip).toContain('Knee')
    expect(searchesSentence({ key: '', label: '', searches: [search()] }, targets)).toMatch(
      /^p99 against throughput\. Redis: from .* with 1 to .* with 4\.$/,
    )
  })

  it('tell knee, most, saturation and efficiency of a sweep', () => {
    const facts = Object.fromEntries(factsOf(search()).map(({ term, value }) => [term, value]))
    expect(facts).toEqual({
      Knee: '2 clients',
      Most: '2\u2009000\u202fop/s',
      'Saturated from': '4 clients',
      Efficiency: '50\u202f%',
    })
    expect(factsOf(search({ knee_inside: false }))[0]?.note).toBe('at the edge of what was measured')
  })

  it('tell the operating point of a calibration and nothing that was not asked', () => {
    const found = search({
      axis: 'rate',
      envelope_us: 1000,
      operating_point: { value: 12500, low: 12100, high: 12800, confirmed_by: 2, latency_us: 940, throughput: 12490 },
    })
    expect(factsOf(found).map(({ term }) => term)).toEqual(['Operating point', 'Done there', 'p99 there'])
    expect(factsOf(found)[0]?.value).toBe('12\u2009500\u202fop/s')
    expect(curvesOf([found], targets)[0]?.points.some(({ ringed }) => ringed)).toBe(false)
  })

  it('say why no law is told', () => {
    expect(lawText(search())).toContain('cannot tell contention')
    const law = {
      throughput_of_one: 1000,
      contention: { value: 0.052, low: 0.04, high: 0.061 },
      coherency: { value: 0, low: 0, high: null },
      r_squared: 0.99,
      peak_clients: null,
      note: 'No peak.',
      line: [],
    }
    expect(lawText(search({ scalability: law }))).toBe(
      'Universal Scalability Law: contention σ 0.052 (0.04 – 0.061), coherency κ 0 (0 – …); No peak.',
    )
  })

  it('name loads and latencies as everybody does', () => {
    expect([latencyName(search()), loadText(search(), 1), loadText(search({ axis: 'rate' }), 1500)]).toEqual([
      'p99',
      '1 client',
      '1\u2009500\u202fop/s',
    ])
  })
})
