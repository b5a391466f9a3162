import { describe, expect, it } from 'vitest'

import { besideOf, countsTable, differenceOf, whyNot, type Counted, type Reconciliation } from './reconciliation'

const ROW: Counted = {
  name: 'reads',
  operations: ['read'],
  commands: ['get'],
  asked: 1000,
  answered: 1000,
  served: 1000,
  difference: 0,
  server_us: 1.5,
  says: '',
  why_not: '',
}
const TOLD: Reconciliation = {
  source: 'INFO',
  rows: [ROW],
  hits: null,
  misses: null,
  received_bytes: null,
  sent_bytes: null,
  of_others: {},
  why_not: '',
}

describe('client and server', () => {
  it('says how far the columns are apart', () => {
    expect(differenceOf(ROW)).toBe('agrees')
    expect(differenceOf({ ...ROW, difference: 0.0009 })).toBe('agrees')
    expect(differenceOf({ ...ROW, difference: 0.02 })).toBe('+2.0\u2009%')
    expect(differenceOf({ ...ROW, difference: -0.25 })).toBe('\u221225.0\u2009%')
    expect(differenceOf({ ...ROW, why_not: 'a read is of several keys' })).toBe('not compared')
  })

  it('says why there is nothing to set side by side', () => {
    expect(whyNot(TOLD)).toBe('')
    expect(whyNot({ ...TOLD, why_not: 'not told' })).toContain('did not tell')
    expect(whyNot({ ...TOLD, why_not: 'began anew' })).toContain('began anew')
    expect(whyNot({ ...TOLD, why_not: 'other nodes' })).toContain('same nodes')
  })

  it('says what was there, and what others asked', () => {
    expect(besideOf(TOLD)).toBe('')
    const uncounted = { ...ROW, served: null, difference: null, why_not: 'it counts none' }
    expect(differenceOf(uncounted)).toBe('not compared')
    expect(besideOf({ ...TOLD, rows: [uncounted] })).toBe('reads not compared: it counts none')
    expect(besideOf({ ...TOLD, hits: 10, misses: 90, of_others: { lpush: 7 } })).toBe(
      '10 of 100 keys asked for were there (10 %); commands of others: 7 lpush',
    )
  })

  it('is taken along with what cannot be compared, and what others asked', () => {
    const scans = { ...ROW, name: 'scans', why_not: 'scan sends as many of them as it needs' }
    const { columns, rows } = countsTable({ ...TOLD, rows: [ROW, scans], of_others: { lpush: 7 }, sent_bytes: 9 })
    expect(rows).toEqual([
      ['reads', 'get', 1000, 1000, 1000, 0, 1.5, ''],
      ['scans', 'get', 1000, 1000, 1000, null, 1.5, 'not compared: scan sends as many of them as it needs'],
      ['of others', 'lpush', 0, 0, 7, null, null, null],
      ['bytes sent', '', null, null, 9, null, null, null],
    ])
    expect(rows.every((row) => row.length === columns.length)).toBe(true)
    expect(countsTable({ ...TOLD, why_not: 'not told' }).rows).toEqual([])
  })
})
