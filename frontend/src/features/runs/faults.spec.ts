import { describe, expect, it } from 'vitest'

import type { FaultCost, FaultStretch } from '@/api'

import { recoveryFigures, redistributionText, stretchRows, stretchTable } from './faults'

const figures = (p99: number | null, ok: number, failed = 0) => ({
  ok, failed, not_found: 0, throughput: ok / 10, mean_us: p99, p50_us: p99, p95_us: p99, p99_us: p99,
  p999_us: p99, p9999_us: p99, max_us: p99,
}) // prettier-ignore

type All = ReturnType<typeof figures>
const stretch = (name: FaultStretch['stretch'], begin: number, end: number, all?: All): FaultStretch =>
  ({
    stretch: name, begin_seconds: begin, end_seconds: end, intervals: all ? end - begin : 0, late: 3,
    operations: all ? { all } : {},
  }) // prettier-ignore

const fault: FaultCost = {
  label: 'kill node 1',
  begin_seconds: 10,
  end_seconds: 30,
  mended: false,
  verbs: [],
  stretches: [
    stretch('before', 0, 10, figures(200, 10_000)),
    stretch('during', 10, 30, figures(null, 0, 40)),
    stretch('after', 30, 30),
  ],
  recovery: {
    outcome: 'not_returned', sentence: 'p99 did not return.', detected_seconds: 0, first_success_seconds: null,
    without_success_seconds: 20, returned_seconds: null, band: 0.1, band_by: 'asked', old_latency_us: 200,
    operations_failed: 40, operations_late: null, operations_missing: 19_999.6, resolution_seconds: 1,
  },
  not_told: null,
} // prettier-ignore

describe('what a fault cost', () => {
  it('is taken along by operation and stretch, in plain numbers', () => {
    const { columns, rows } = stretchTable(fault)
    expect(rows.map((row) => row.slice(0, 6))).toEqual([
      ['kill node 1', 'all', 'before', 0, 10, 1000],
      ['kill node 1', 'all', 'during', 10, 30, 0],
    ])
    const of = (name: string) => rows.map((row) => row[columns.indexOf(name)])
    expect([of('p99, µs'), of('failed'), of('late'), of('success again after, s')]).toEqual([
      [200, null],
      [0, 40],
      [3, 3],
      [null, null],
    ])
    expect(rows.every((row) => row.length === columns.length)).toBe(true)
  })

  it('stands before, during and after, and a stretch without an interval says nothing', () => {
    const row = (label: string) => stretchRows(fault).find((one) => one.label === label)
    expect(row('throughput')).toEqual({ label: 'throughput', before: '1\u2009000 op/s', during: '0 op/s', after: '–' })
    expect(row('p99')).toEqual({ label: 'p99', before: '200 µs', during: '–', after: '–' })
    expect(row('failed')).toMatchObject({ during: '40', after: '–' })
    expect(row('never sent')).toBeUndefined()
  })

  it('tells what was never sent where something was', () => {
    const stretches = fault.stretches.map((one) =>
      one.stretch === 'during'
        ? { ...one, operations: { ...one.operations, all: { ...one.operations['all']!, never_sent: 1200 } } }
        : one,
    )
    const found = stretchRows({ ...fault, stretches }).find((one) => one.label === 'never sent')
    expect(found?.during).toBe('1\u2009200')
  })

  it('tells what never happened as such, and nothing more exactly than it is known', () => {
    const told = Object.fromEntries(recoveryFigures(fault).map((one) => [one.caption, one]))
    expect(told['Noticed after']?.shown).toEqual({ value: '0', unit: 's' })
    expect(told['Success again after']).toMatchObject({ shown: { value: '–' }, note: 'none for 20.0 s in all' })
    expect(told['p99 back after']).toMatchObject({ shown: { value: '–' }, note: 'it did not return' })
    expect(told['Missing']?.shown.value).toBe('20\u2009000')
    expect(recoveryFigures({ ...fault, recovery: null, not_told: 'too little before' })).toEqual([])
  })
})

describe('redistributionText', () => {
  const told = (redistribution: FaultCost['redistribution']) => redistributionText({ ...fault, redistribution })

  it('counts from the fault', () => {
    const moved = {
      begin_seconds: 12.5,
      end_seconds: 20,
      moving_seconds: 7.5,
      stretches: 1,
      bytes: 52_428_800,
      transfers: 3,
      failed: 0,
    }
    expect(told(moved)).toBe('Redistribution began 2.5 s after the fault and took 7.5 s: 50.0 MiB in 3 transfers.')
    expect(told({ ...moved, transfers: 1, failed: 1 })).toContain('in 1 transfer, of which 1 failed.')
  })

  it('leaves pauses out of how long it took, and says that there were some', () => {
    const moved = {
      begin_seconds: 12,
      end_seconds: 45,
      moving_seconds: 20,
      stretches: 2,
      bytes: null,
      transfers: null,
      failed: 0,
    }
    expect(told(moved)).toContain('and took 20.0 s in 2 stretches over 33.0 s: the system does not tell')
  })

  it('says what is not known', () => {
    const moved = {
      begin_seconds: 12,
      end_seconds: 14,
      moving_seconds: 2,
      stretches: 1,
      bytes: null,
      transfers: null,
      failed: 0,
    }
    expect(told(moved)).toContain('took 2.0 s: the system does not tell how much.')
    expect(told({ ...moved, end_seconds: null })).toContain('had not ended when the system was stopped')
    expect(told(null)).toBeUndefined()
  })
})
