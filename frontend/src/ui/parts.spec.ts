import { describe, expect, it } from 'vitest'

import { countWords, stepsOf } from './parts'

const cursors = (...given: Parameters<typeof stepsOf>) => stepsOf(...given).map((step) => step.cursor)

describe('the ways on from a part of a list', () => {
  it('lead to the older ones from the first part', () => {
    expect(cursors({ next_cursor: 'n', previous_cursor: null }, '')).toEqual([null, null, 'n', 'oldest'])
  })

  it('lead both ways from the middle', () => {
    expect(cursors({ next_cursor: 'n', previous_cursor: 'p' }, 'm')).toEqual(['', 'p', 'n', 'oldest'])
  })

  it('lead back from the last part', () => {
    expect(cursors({ next_cursor: null, previous_cursor: 'p' }, 'oldest')).toEqual(['', 'p', null, null])
  })

  it('lead to the beginning from a part that is empty by now', () => {
    expect(cursors({ next_cursor: null, previous_cursor: null }, 'm')).toEqual(['', null, null, null])
  })

  it('are none where one part is all', () => {
    expect(cursors({ next_cursor: null, previous_cursor: null }, '')).toEqual([null, null, null, null])
  })
})

describe('how many of how many', () => {
  it('is said with the total', () => {
    expect(countWords(50, { count: 1000, is_exact: true }, 'campaign')).toBe('50 of 1\u2009000 campaigns')
    expect(countWords(1, { count: 1, is_exact: true }, 'campaign')).toBe('1 campaign')
  })

  it('does not pretend where nobody counted further', () => {
    expect(countWords(50, { count: 10000, is_exact: false }, 'campaign')).toBe('50 of more than 10\u2009000 campaigns')
  })

  it('is what is shown while no total is known', () => {
    expect(countWords(3, null, 'entry', 'entries')).toBe('3 entries')
  })
})
