import { describe, expect, it } from 'vitest'

import { asked, keyOf } from './asked'

const campaign = (id: number, state = 'completed') => ({ id: String(id), state })

describe('asked', () => {
  it('is in groups, those under way apart, and leaves nobody out', () => {
    const all = Array.from({ length: 24 }, (_, at) => campaign(at, at % 8 ? 'completed' : 'running'))
    const groups = asked(all)
    expect(groups.map((group) => group.length)).toEqual([10, 10, 1, 3])
    expect(new Set(groups.map((group) => new Set(group.map(({ state }) => state)).size))).toEqual(new Set([1]))
    expect(
      groups
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(all.map(({ id }) => id).sort())
    expect(asked([])).toEqual([])
  })

  it('is asked anew when a run has ended', () => {
    const runs = { completed: 3, failed: 0, cancelled: 0 }
    const one = { ...campaign(1, 'running'), runs }
    expect(keyOf(one)).not.toBe(keyOf({ ...one, runs: { ...runs, failed: 1 } }))
    expect(keyOf(one)).not.toBe(keyOf({ ...one, state: 'completed' }))
  })
})
