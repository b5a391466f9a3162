import { describe, expect, it } from 'vitest'

import type { AspectRow } from '@/api'

import { favouredWords, groupsOf, isFolded, matrixNote, nothingWords } from './fairness'

const row = (aspect: string, role: AspectRow['role'], favours: number[] = []): AspectRow => ({
  aspect,
  label: aspect,
  values: ['a', 'b'],
  same: role === 'same',
  confounder: role === 'may_explain',
  role,
  favours,
  explanation: '',
  raw: [],
})
const rows = [row('system', 'compared'), row('same', 'same'), row('durability', 'may_explain', [1])]
const sides = ['Redis', 'Memcached', 'RocksDB', 'Garnet'].map((label, place) => ({ label, place }))

describe('groupsOf', () => {
  it('says first what is compared, then what may explain a difference; empty groups are left out', () => {
    expect(groupsOf(rows).map((group) => [group.label, group.rows.length])).toEqual([
      ['What is compared', 1],
      ['May explain it', 1],
      ['Is the same', 1],
    ])
  })
})

describe('isFolded', () => {
  const folded = (...all: Parameters<typeof groupsOf>[0]) =>
    groupsOf(all).flatMap((group) => (isFolded(group) ? [group.role] : []))

  it('is what shifts no figure, and what the sides are named by', () => {
    expect(folded(...rows)).toEqual(['compared', 'same'])
  })

  it('is never a setting that is compared, nor what may explain a difference', () => {
    expect(folded(row('version', 'compared'), row('durability', 'compared'), row('x', 'may_explain'))).toEqual([])
  })
})

describe('matrixNote', () => {
  it('counts what matters', () => {
    expect(matrixNote(rows, 2)).toBe('Of 3 conditions, 1 that differ may explain a difference in the figures.')
    expect(matrixNote(rows.slice(0, 2), 2)).toContain('none that differs')
  })
})

describe('nothingWords', () => {
  it('says of sides that differ in their version that they do', () => {
    const version = row('version', 'compared')
    expect(nothingWords([version, row('x', 'same')], 2)).toBe(
      'The sides differ in version, and in nothing else that shifts a figure.',
    )
    expect(nothingWords([row('x', 'harmless')], 2)).toBe('The sides differ in nothing that shifts a figure.')
    expect(nothingWords([row('x', 'same')], 2)).toBe('The sides differ in nothing that is known of them.')
    expect(nothingWords([version], 1)).toBe('Of one side alone there is nothing to differ.')
  })
})

describe('matrixNote of one side', () => {
  it('says nothing of what differs', () => {
    expect(matrixNote(rows, 1)).toBe('3 conditions under which it was measured.')
  })
})

describe('favouredWords', () => {
  it('names the fewest', () => {
    expect(favouredWords(row('x', 'may_explain', [1]), sides)).toBe('favours Memcached')
    expect(favouredWords(row('x', 'may_explain', [0, 2, 3]), sides)).toBe('favours all but Memcached')
  })

  it('is silent where it is not said, and where it favours all that are shown', () => {
    expect(favouredWords(row('x', 'may_explain'), sides)).toBe('')
    expect(favouredWords(row('x', 'may_explain', [0]), sides.slice(0, 1))).toBe('')
  })
})
