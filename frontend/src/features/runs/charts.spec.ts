import { describe, expect, it } from 'vitest'

import type { RunSeries } from '@/api'
import type { Palette } from '@/charts'

import {
  arrivalLines,
  arrivalsInWords,
  backlogLines,
  detailInWords,
  flowLines,
  latencyLines,
  linesTable,
  operationsOf,
  throughputLines,
} from './charts'

const palette = new Proxy({}, { get: (_, name) => String(name) }) as Palette
const figures = {
  t: [1, 2],
  until: [2, 3],
  throughput: [100, 200],
  errors: [0, 0],
  not_found: [0, 0],
  p50_us: [10, 20],
  p99_us: [30, null],
  p999_us: [null, null],
  p9999_us: [null, null],
  throughput_low: [null, null],
  throughput_high: [null, null],
  p99_low_us: [null, null],
  p99_high_us: [null, null],
}
const series: RunSeries = {
  phases: [],
  marks: [],
  arrivals: null,
  course: null,
  detail: null,
  machines: [],
  operations: { all: figures, update: figures, read: figures },
  payloads: { read: { read: 1000, written: 0 }, update: { read: 0, written: 10 } },
  resources: { t: [], cpu_percent: [], resident_bytes: [], driver_cpu_percent: [], disk_bytes: [], steal_percent: [] },
}

describe('operationsOf', () => {
  it('orders operations alike everywhere, all last', () => {
    expect(operationsOf(series)).toEqual(['read', 'update', 'all'])
  })
})

describe('throughputLines', () => {
  it('does not draw a single operation twice', () => {
    const lines = throughputLines({ ...series, operations: { all: figures, read: figures } }, palette)
    expect(lines.map((line) => line.name)).toEqual(['read'])
  })

  it('shows errors and not-found as soon as there are any', () => {
    const all = { ...figures, errors: [0, 3], not_found: [1, 0] }
    const names = throughputLines({ ...series, operations: { ...series.operations, all } }, palette).map((l) => l.name)
    expect(names).toEqual(['read', 'update', 'all', 'errors', 'not found'])
  })
})

describe('flowLines', () => {
  it('adds up the values of all operations, and leaves out what nothing is known of', () => {
    const told = (payloads: RunSeries['payloads']) =>
      flowLines({ ...series, payloads }, palette).map(({ name, values }) => [name, values])
    const both = { read: { read: 1000, written: 0 }, update: { read: 0, written: 10 } }
    expect(told(both)).toEqual([
      ['values read', [100_000, 200_000]],
      ['values written', [1000, 2000]],
    ])
    expect(told({ ...both, update: { read: 500, written: 10 } })[0]).toEqual(['values read', [150_000, 300_000]])
    expect(told({ ...both, scan: { read: null, written: 0 } }).map(([name]) => name)).toEqual(['values written'])
    const loaded = { ...figures, t: [2], until: [3], throughput: [7] }
    const { all, read } = series.operations
    const later = { all: all ?? figures, insert: loaded, read: read ?? figures }
    const payloads = { insert: { read: 0, written: 10 }, read: { read: 1, written: 0 } }
    expect(flowLines({ ...series, operations: later, payloads }, palette)[1]?.values).toEqual([0, 70])
    expect(told({ read: { read: 0, written: 0 } })).toEqual([])
  })
})

describe('arrivals', () => {
  const arrivals = {
    t: [0, 1, 2],
    until: [1, 2, 3],
    due: [10, 10, 0],
    sent: [6, 6, 6],
    answered: [6, 6, 6],
    never_sent: [0, 2, 0],
    backlog: [4, 8, 2],
  }

  it('shows what was never sent as soon as there is any', () => {
    const named = (given: RunSeries['arrivals']) =>
      arrivalLines({ ...series, arrivals: given }, palette).map((line) => line.name)
    expect(named(arrivals)).toEqual(['due', 'sent', 'answered', 'never sent'])
    expect(named({ ...arrivals, never_sent: [0, 0, 0] })).toEqual(['due', 'sent', 'answered'])
    expect(named(null)).toEqual([])
    expect(backlogLines({ ...series, arrivals: null }, palette)).toEqual([])
  })

  it('is told in a sentence', () => {
    expect(arrivalsInWords({ ...series, arrivals })).toBe(
      '20 operations were due, 18 were answered and 2 never sent; at most 8 waited to be sent at the end of a step.',
    )
  })
})

describe('latencyLines', () => {
  it('leaves out percentiles without a figure', () => {
    expect(latencyLines(series, 'read', palette).map((line) => line.name)).toEqual(['p50', 'p99'])
    expect(latencyLines(series, 'scan', palette)).toEqual([])
  })
})

describe('linesTable', () => {
  it('keeps missing figures missing', () => {
    const table = linesTable(latencyLines(series, 'read', palette))
    expect(table).toEqual({
      columns: ['seconds', 'p50', 'p99'],
      rows: [
        [1, 10, 30],
        [2, 20, null],
      ],
    })
  })
})

describe('extremes', () => {
  const merged = { ...figures, throughput_low: [1, 2], throughput_high: [300, 400] }

  it('stand behind the sum alone, and in the table', () => {
    const lines = throughputLines({ ...series, operations: { all: merged, read: merged, update: merged } }, palette)
    expect(lines.map((line) => line.low?.length ?? 0)).toEqual([0, 0, 2])
    expect(linesTable(lines).columns).toEqual(['seconds', 'read', 'update', 'all', 'all lowest', 'all highest'])
    expect(linesTable(lines).rows[1]).toEqual([2, 200, 200, 200, 2, 400])
  })

  it('are told with what they are of', () => {
    expect(detailInWords(series)).toBe('')
    expect(detailInWords({ ...series, detail: { point_seconds: 1, extremes_seconds: null } })).toBe('')
    expect(detailInWords({ ...series, detail: { point_seconds: 66, extremes_seconds: 1 } })).toBe(
      ' A point stands for 66 s; bands: the lowest and highest of its intervals of 1 s.',
    )
  })
})
