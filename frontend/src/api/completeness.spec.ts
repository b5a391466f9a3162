import { describe, expect, it } from 'vitest'

import { whileIncomplete, type Completeness } from './completeness'

const answer = (complete: boolean) => ({ completeness: { complete } as Completeness })

describe('figures of which more may come', () => {
  it('are asked for again until they are complete', () => {
    expect(whileIncomplete({ state: { data: answer(false) } })).toBeGreaterThan(0)
    expect(whileIncomplete({ state: { data: answer(true) } })).toBe(false)
    expect(whileIncomplete({ state: { data: undefined } })).toBe(false)
  })
})
