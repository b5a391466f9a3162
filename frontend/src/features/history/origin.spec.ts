import { describe, expect, it } from 'vitest'

import { originOf } from './origin'

const bare = {
  commit: '9f2c1e7b0a4d5c6e',
  commit_url: null,
  branch: null,
  pull_request: null,
  pull_request_url: null,
  subject: null,
  dirty: false,
}

describe('originOf', () => {
  it('is the commit alone when nothing else is known', () => {
    expect(originOf(bare)).toBe('9f2c1e7b0a')
  })

  it('tells branch, request, changes and subject in a line', () => {
    expect(originOf({ ...bare, branch: 'main', pull_request: 7, dirty: true, subject: 'Read twice as fast' })).toBe(
      '9f2c1e7b0a on main, request 7, modified: Read twice as fast',
    )
  })
})
