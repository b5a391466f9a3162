import { describe, expect, it } from 'vitest'

import { readAddress } from './address'

describe('readAddress', () => {
  it('is nothing when the address names nothing', () => {
    expect(readAddress({})).toBeNull()
    expect(readAddress({ campaign: '' })).toBeNull()
  })

  it('reads a campaign, and a base only beside one', () => {
    expect(readAddress({ campaign: 'a', base: 'b' })).toEqual({ campaign: 'a', base: 'b', baseline: 0 })
    expect(readAddress({ base: 'b' })).toBeNull()
  })

  it('reads one side or many, and a baseline that makes sense', () => {
    expect(readAddress({ side: 'a~x', baseline: '1' })).toEqual({ side: ['a~x'], baseline: 1 })
    expect(readAddress({ side: ['a~x', 'b~y'], baseline: '-3' })).toEqual({ side: ['a~x', 'b~y'], baseline: 0 })
  })
})
