import { describe, expect, it } from 'vitest'

import { kindOf, whenOf, whereOf, type Errors } from './errors'

const errors: Errors = {
  phase: 'measure',
  operation: 'read_modify_write',
  kind: 'too_large',
  count: 3,
  words: 'SERVER_ERROR object too large for cache',
  at: '2026-11-18T11:06:43.250Z',
}

describe('errors of a run', () => {
  it('stand by operation, with the phase where it is not the measured one', () => {
    expect(whereOf(errors)).toBe('read modify write')
    expect(whereOf({ ...errors, phase: 'load', operation: 'insert' })).toBe('insert, load phase')
    expect(whereOf({ ...errors, operation: null })).toBe('all operations')
    expect(kindOf(errors)).toBe('too large')
  })

  it('tell when they were told first', () => {
    expect(whenOf(errors, '2026-11-18T11:06:40.000Z')).toBe('3.3 s in')
    expect(whenOf(errors, null)).toBe('11:06:43')
    expect(whenOf(errors, '2026-11-18T11:06:44.000Z')).toBe('11:06:43')
    expect(whenOf({ ...errors, at: null }, null)).toBe('')
  })
})
