import { describe, expect, it } from 'vitest'

import type { Caveat, Lead, Reading } from '@/api'

import { answerLines, gravestOf, mostInside, partsOf } from './answer'
import { testSide } from './testComparison'
import type { PlacedSide } from './view'

const strong = (sentence: string, names: string[] = []) =>
  partsOf(sentence, names)
    .filter((part) => part.strong)
    .map((part) => part.text)

describe('partsOf', () => {
  it('makes counts and ratios stand out and keeps every word', () => {
    const sentence = 'does more operations than Redis in 6 of 6 cells: ×2.4 to ÷4.0 balanced'
    expect(strong(sentence)).toEqual(['6 of 6', '×2.4', '÷4.0'])
    expect(
      partsOf(sentence)
        .map((part) => part.text)
        .join(''),
    ).toBe(sentence)
  })

  it('makes names stand out, whatever they are written with', () => {
    expect(strong('C++ (new) leads: most throughput in all 12 cells.', ['C++ (new)'])).toEqual([
      'C++ (new)',
      'all 12 cells',
    ])
  })
})

describe('mostInside', () => {
  it('names a side once with all its workloads', () => {
    expect(
      mostInside([
        ['Garnet', 'balanced', '4 op/s'],
        ['Redis', 'scans', '2 op/s'],
        ['Garnet', 'reads', '5 op/s'],
      ]),
    ).toBe('Garnet does most: 4 op/s in balanced, 5 op/s in reads; Redis does most: 2 op/s in scans')
  })
})

describe('answerLines', () => {
  const keys = ['redis', 'garnet', 'mongo', 'cassandra']
  const sides: PlacedSide[] = keys.map((key, place) => ({
    ...testSide(key),
    place,
    hidden: false,
    isBaseline: place === 0,
  }))
  const reading = (side: string): Reading => ({
    side,
    baseline_side: 'redis',
    load_kind: 'closed',
    metric: 'throughput',
    cells: 1,
    more: 1,
    less: 0,
    as_much: 0,
    cannot_tell: 0,
    too_few: 0,
    missing: 0,
    ranges: [],
    sentence: '',
    short: '',
  })
  const lead: Lead = {
    metric: 'throughput',
    load_kind: 'closed',
    kind: 'leads',
    leaders: ['garnet'],
    cells: 1,
    decided: 1,
    level: 0,
    undecided: 0,
    too_few: 0,
    missing: 0,
    fewest_repeats: 5,
    most_repeats: 5,
    sentence: '',
    sure: '',
    barred_by: [],
    standings: ['garnet', 'redis', 'cassandra'].map((side, at) => ({
      side,
      first: Number(at === 0),
      best_rank: at + 1,
      worst_rank: at + 1,
      cells: 1,
      words: `place ${at + 1}`,
    })),
  }
  const readings = keys.slice(1).map(reading)

  it('puts those that lead first and those without a place last', () => {
    const lines = answerLines(lead, readings, sides)
    expect(lines.map((line) => line.key)).toEqual(['garnet', 'redis', 'cassandra', 'mongo'])
    expect(lines.map((line) => line.place)).toEqual(['place 1', 'place 2', 'place 3', ''])
    expect(lines.map((line) => line.leads)).toEqual([true, false, false, false])
  })

  it('leaves the baseline out where there are few sides', () => {
    expect(answerLines(lead, readings, sides.slice(0, 3)).map((line) => line.key)).toEqual(['garnet', 'mongo'])
  })

  it('leaves it out too where each target is set against itself', () => {
    const lines = answerLines({ ...lead, kind: 'by_target', standings: [] }, readings, sides)
    expect(lines.map((line) => line.key)).toEqual(['garnet', 'mongo', 'cassandra'])
  })

  it('takes readings of the kind of load that the lead is of', () => {
    const open = readings.map((one) => ({ ...one, load_kind: 'open' as const }))
    expect(answerLines(lead, open, sides).map((line) => line.key)).toEqual(['redis'])
  })
})

describe('what must be known first', () => {
  const caveat = (id: string, severity: Caveat['severity'], ...sides: string[]) =>
    ({ id, severity, sides }) as unknown as Caveat
  const leads = [{ leaders: ['c~rocksdb'] }]
  const shared = caveat('shared', 'caution')
  const both = caveat('both', 'caution', 'c~rocksdb', 'c~redis')
  const note = caveat('note', 'note', 'c~rocksdb')
  const theirs = caveat('theirs', 'caution', 'c~rocksdb')

  it('is of the leader alone, where there is such a caution', () => {
    expect(gravestOf([shared, both, note, theirs], leads)).toBe(theirs)
  })

  it('is else the first caution, and never a note', () => {
    expect(gravestOf([note, shared, both], leads)).toBe(shared)
    expect(gravestOf([shared, theirs], [])).toBe(shared)
    expect(gravestOf([note], leads)).toBeNull()
  })
})
