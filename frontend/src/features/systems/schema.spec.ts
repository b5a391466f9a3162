import { describe, expect, it } from 'vitest'

import { settingsOf } from './schema'

describe('settings of a schema', () => {
  it('are its properties, in order', () => {
    const schema = { type: 'object', properties: { b: { type: 'integer' }, a: { type: 'string' } } }
    expect(settingsOf(schema).map(([name]) => name)).toEqual(['b', 'a'])
  })

  it('are none where none are declared', () => {
    expect(settingsOf({})).toEqual([])
    expect(settingsOf({ properties: null })).toEqual([])
  })
})
