import { describe, expect, it } from 'vitest'

import { confirmedAmong, stateOf } from './domains'

const now = Date.parse('2026-11-24T12:00:00Z')
const row = {
  domain: 'quokka.test',
  verified_at: null as string | null,
  mailed_at: null as string | null,
  expires_at: '2026-12-01T12:00:00Z',
}
const early = '2026-11-24T11:00:00Z'

describe('how it stands with a domain', () => {
  it('is told apart by what was sent, confirmed and has ended', () => {
    expect(stateOf(row, now)).toBe('unsent')
    expect(stateOf({ ...row, mailed_at: early }, now)).toBe('asked')
    expect(stateOf({ ...row, mailed_at: early, expires_at: early }, now)).toBe('ended')
    expect(stateOf({ ...row, expires_at: early }, now)).toBe('ended')
  })

  it('stays confirmed after the link has ended', () => {
    expect(stateOf({ ...row, mailed_at: early, verified_at: early, expires_at: early }, now)).toBe('confirmed')
  })
})

describe('a domain that is typed anew', () => {
  it('is found however it is written, if it is confirmed', () => {
    const confirmed = { ...row, verified_at: early }
    expect(confirmedAmong([confirmed], ' Quokka.TEST ')).toBe(confirmed)
    expect(confirmedAmong([row], 'quokka.test')).toBeUndefined()
    expect(confirmedAmong([confirmed], 'sub.quokka.test')).toBeUndefined()
  })
})
