import { describe, expect, it } from 'vitest'

import type { Comparison, Distributions, Rank } from '@/api'

import {
  bandsMissing,
  histogramAddress,
  linesTable,
  LATENCY,
  measuredCells,
  sentenceOf,
  SHIFT,
  shiftLines,
  spectrumLines,
} from './distributions'
import { rankFigures, rankMatrix, rankRows, rankWords, standing } from './ranks'
import { COMPLETE } from './testComparison'

const level = { kind: 'closed' as const, value: 4, label: '4 clients' }
const side = {
  key: 'c~redis',
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
const other = { ...side, key: 'c~mc', label: 'Memcached', colour: '#0072B2' }
const sides = [side, other]
const points = [
  { quantile: 0.5, value_us: 100, low_us: 90, high_us: 110 },
  { quantile: 0.99, value_us: 1500, low_us: null, high_us: null },
]
const found: Distributions = {
  completeness: COMPLETE,
  workload: 'reads',
  load_level: level,
  operation: 'all',
  operations: ['all'],
  fewest_for_a_band: 4,
  caveats: [],
  sides: [
    { side: side.key, runs: 5, operations: 1000, banded: true, points },
    { side: other.key, runs: 5, operations: 1000, banded: true, points },
  ],
  shifts: [
    {
      baseline_side: side.key,
      side: other.key,
      method: 'paired',
      baseline_runs: 5,
      runs: 5,
      left_out: 0,
      banded: true,
      points: [{ quantile: 0.5, relative: 0.25, low: 0.2, high: 0.31 }],
    },
  ],
}

describe('lines of distributions', () => {
  it('have the names and colours of their sides', () => {
    expect(spectrumLines(found, sides).map((line) => [line.name, line.colour])).toEqual([
      ['Redis', '#D55E00'],
      ['Memcached', '#0072B2'],
    ])
    expect(shiftLines(found, sides)[0]?.name).toBe('Memcached against Redis')
  })

  it('are a table, shifts in percent', () => {
    expect(linesTable(shiftLines(found, sides), 'slower by, %', 100).rows).toEqual([
      ['Memcached against Redis', 'p50', 25, 20, 31],
    ])
    expect(linesTable(spectrumLines(found, sides), 'µs').rows[1]).toEqual(['Redis', 'p99', 1500, null, null])
  })

  it('are a sentence for those who do not see them', () => {
    expect(sentenceOf(spectrumLines(found, [side]), LATENCY)).toContain('Redis: median 100\u202fµs, p99 1.50\u202fms;')
    expect(sentenceOf(shiftLines(found, sides), SHIFT)).toMatch(/^Memcached against Redis: median \+25/)
  })
})

describe('bandsMissing', () => {
  it('is silent where every line has its band', () => {
    expect(bandsMissing(found, sides)).toBe('')
  })

  it('names the sides that have too few runs', () => {
    const few = { ...found, sides: [{ ...found.sides[0]!, runs: 3, banded: false }] }
    expect(bandsMissing(few, sides)).toMatch(/fewer than 4 runs \(Redis: 3\)/)
  })

  it('names those that share too few blocks', () => {
    const apart = { ...found, shifts: [{ ...found.shifts[0]!, banded: false }] }
    expect(bandsMissing(apart, sides)).toMatch(/^No band for Memcached: fewer than 4 blocks/)
  })
})

describe('histogramAddress', () => {
  it('escapes what stands in it', () => {
    const cell = { workload: 'a&b', load_level: '4 clients', operation: 'read' }
    const address = new URL(histogramAddress('c~redis', cell, 'hgrm'), 'http://here')
    expect(address.searchParams.get('workload')).toBe('a&b')
    expect(address.searchParams.get('load_level')).toBe('4 clients')
  })
})

describe('ranks', () => {
  const rank: Rank = {
    side: 'c~redis',
    median: 9,
    low: 8,
    high: 10,
    kind: 'interval',
    repeats: 5,
    confidence: 0.95,
    best_rank: 1,
    worst_rank: 2,
    among_best: true,
    behind: [],
  }
  const behind = { ...rank, side: 'c~mc', best_rank: 3, worst_rank: 3, among_best: false, behind: ['c~redis'] }
  const ranking = {
    metric: 'throughput',
    workload: 'reads',
    load_level: level,
    told_apart: true,
    repeats_wanted: null,
    ranks: [rank, behind],
  }
  const comparison = { sides, workloads: ['reads'], load_levels: [level], cells: [] } as unknown as Comparison

  it('are intervals where they are not certain', () => {
    expect([rankWords(rank), rankWords(behind)]).toEqual(['1 to 2', '3'])
  })

  it('stand in a matrix of cells by sides, a gap where a side has no figure', () => {
    const shown = ['c~mc', 'c~gone', 'c~redis'].map((key) => ({ key, label: key }))
    const [line] = rankMatrix([ranking, { ...ranking, metric: 'p99_us' }], 'throughput', shown)
    expect(line?.first).toBe(true)
    expect(line?.ranks.map((one) => one && rankWords(one))).toEqual(['3', null, '1 to 2'])
    const { columns, rows } = rankFigures([ranking], 'throughput', shown)
    expect(rows.map((row) => row.slice(2, 6))).toEqual([
      ['c~redis', 1, 2, 2],
      ['c~mc', 3, 3, 2],
    ])
    expect(rows.every((row) => row.length === columns.length)).toBe(true)
  })

  it('name their cell once, and who is better', () => {
    const rows = rankRows([ranking, { ...ranking, metric: 'p99_us' }], 'throughput')
    expect(rows.map((row) => row.leads)).toEqual([true, false])
    expect(rows.map((row) => standing(row, comparison))).toEqual(['nobody is beyond doubt better', 'behind Redis'])
  })

  it('say so when nobody can be told from anybody', () => {
    const [row] = rankRows([{ ...ranking, told_apart: false }], 'throughput')
    expect(standing(row!, comparison)).toBe('no side can be told from another')
    const [few] = rankRows([{ ...ranking, told_apart: false, repeats_wanted: 5 }], 'throughput')
    expect(standing(few!, comparison)).toBe('telling sides apart takes 5 repeats of each')
  })

  it('are of cells, and those without results are not offered', () => {
    expect(measuredCells(comparison).size).toBe(0)
  })
})
