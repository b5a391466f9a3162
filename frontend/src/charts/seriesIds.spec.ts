import { describe, expect, it } from 'vitest'

import { seriesId, seriesOf, sideOf } from './seriesIds'

describe('identifiers of series', () => {
  const sides = [{ key: 'a' }, { key: 'b' }, { key: 'a' }]
  const ids = sides.map((_, at) => seriesId(sides, at))

  it('are each once, though a side has several lines', () => {
    expect(new Set(ids).size).toBe(3)
    expect(ids.map(sideOf)).toEqual(['a', 'b', 'a'])
  })

  it('lead to all lines of a side', () => {
    expect(seriesOf([...ids, undefined, 7], 'a')).toEqual([ids[0], ids[2]])
  })
})
