import { describe, expect, it } from 'vitest'

import { adviceOf, basisOf, commonBasis, detailsOf, ledgerRows, matches, spanOf, toneOf, wordOf } from './ledger'
import { levels, testComparison, testDifference } from './testComparison'
import { arranged } from './view'

const rows = ledgerRows(testComparison, arranged(testComparison, [], []))
const difference = (extra: object) => testDifference('rocksdb', levels[2]!, extra)

describe('ledgerRows', () => {
  it('is in the document’s order: workload, load, side', () => {
    expect(rows.map((row) => `${row.difference.load_level.label} ${row.side.key}`)).toEqual([
      '1 client memcached',
      '1 client rocksdb',
      '4 clients memcached',
      '4 clients rocksdb',
      '8 clients memcached',
      '8 clients rocksdb',
    ])
  })

  it('follows the order and the hiding of the sides', () => {
    const other = ledgerRows(
      testComparison,
      arranged(testComparison, [2], [1]).filter((side) => !side.hidden),
    )
    expect(other.map((row) => row.side.key)).toEqual(['rocksdb', 'rocksdb', 'rocksdb'])
  })

  it('has its repeats against the baseline’s median, and a name of its own', () => {
    expect(rows[1]!.repeats.map((repeat) => repeat.ratio)).toEqual([27, 33])
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length)
  })
})

describe('words', () => {
  it('say where a side stands, never that something changed', () => {
    expect(wordOf(difference({}))).toBe('more')
    expect(wordOf(difference({ word: 'as_much' }))).toBe('as much')
    expect(toneOf(difference({ better: false, word: 'less' }))).toBe('worse')
    expect(toneOf(difference({ word: 'cannot_tell' }))).toBe('plain')
  })

  it('advise repeats only where they could decide', () => {
    const undecided = { word: 'cannot_tell' as const, verdict: 'inconclusive' as const }
    expect(adviceOf(difference({ ...undecided, repeats_needed: 7 }))).toBe('7 more repeats could decide')
    expect(adviceOf(difference({ ...undecided, repeats_needed: 1000 }))).toBe('not distinguishable at this noise')
    expect(adviceOf(difference({ ...undecided, repeats_needed: null }))).toBe('not distinguishable at this noise')
    expect(adviceOf(difference({ ...undecided, repeats_needed: null, decided_by: 'campaigns' }))).toBe(
      'how much campaigns differ here is not known',
    )
    expect(adviceOf(difference({ ...undecided, relative: 0.01, floor: 0.02 }))).toBe(
      'smaller than this machine can tell',
    )
    expect(adviceOf(difference({ repeats_needed: 7 }))).toBe('')
  })
})

describe('matches', () => {
  it('wants every word somewhere in the row', () => {
    expect(matches(rows[1]!, 'READS rocks')).toBe(true)
    expect(matches(rows[1]!, 'reads redis')).toBe(false)
    expect(matches(rows[1]!, '')).toBe(true)
  })
})

describe('detailsOf', () => {
  it('tells which interval settled that sides are the same', () => {
    const same = { verdict: 'equivalent', word: 'as_much', decided_by: 'equality' }
    const told = detailsOf({ ...rows[0]!, difference: difference(same) })
    expect(told[0]!.value).toContain('90\u2009% interval lies within')
    const range = detailsOf({ ...rows[0]!, difference: difference({ equality_low: null, equality_high: null }) })
    expect(range.map((one) => one.key)).not.toContain('equality')
  })

  it.each([
    ['changed', 'level', /exceeds the threshold.*holds over the whole table/],
    ['changed', 'family', /exceeds the threshold.*holds over the whole table/],
    ['changed', 'noise_floor', /exceeds the threshold.*noise/],
    ['inconclusive', 'level', /chance may have made it/],
    ['inconclusive', 'family', /does not hold/],
    ['inconclusive', 'threshold', /nobody can say whether it exceeds/],
    ['inconclusive', 'interval', /holds “the same”/],
    ['insufficient', 'repeats', /too few repeats/],
  ])('says of what is %s by %s what settled it, or did not', (verdict, decided_by, said) => {
    expect(detailsOf({ ...rows[0]!, difference: difference({ verdict, decided_by }) })[0]!.value).toMatch(said)
  })

  it('tells what coarse figures are told to', () => {
    const toldTo = (resolution: number | null) =>
      detailsOf({ ...rows[0]!, difference: difference({ metric: 'p50_us', baseline_median: 10, resolution }) }).find(
        (one) => one.key === 'told to',
      )?.value
    expect(toldTo(1)).toMatch(/^1.00\sµs, which widens the interval$/)
    expect(toldTo(0.008)).toBeUndefined()
    expect(toldTo(null)).toBeUndefined()
  })

  it('tells how it was judged', () => {
    const told = Object.fromEntries(detailsOf(rows[0]!).map((one) => [one.key, one.value]))
    expect(told['p']).toBe('0.001; over the whole table (Holm) 0.020')
    expect(told['method']).toBe('paired by block; 5 repeats against 5')
    expect(told['threshold']).toContain('never measured')
    expect(told['equality']).toBe('90\u2009% interval +84.0\u2009% to +117.0\u2009%')
  })
})

describe('a difference', () => {
  it('says what it is of where it is not of the medians beside it', () => {
    expect(basisOf(difference({}))).toBe('')
    expect(basisOf(difference({ basis: 'blocks' }))).toBe('by blocks')
    expect(basisOf(difference({ basis: 'campaigns' }))).toBe('by campaigns')
  })

  it('is told once of what it is where that is the same of all', () => {
    const of = (...bases: string[]) =>
      commonBasis(bases.map((basis) => ({ ...rows[0]!, difference: difference({ basis }) })))
    expect(of('blocks', 'blocks')).toBe('by blocks')
    expect(of('blocks', 'medians')).toBe('')
    expect(of('medians')).toBe('')
    expect(of()).toBe('')
  })

  it('has ends of the side that was repeated less', () => {
    expect(spanOf(difference({ kind: 'range', repeats: 3, baseline_repeats: 2 }))).toEqual({
      kind: 'range',
      repeats: 2,
    })
  })
})
