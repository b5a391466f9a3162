import { expect, it } from 'vitest'

import { mixWords } from './mix'

it('a mix is told in percent, without what is not asked for', () => {
  expect(mixWords({ read: 0.95, read_modify_write: 0.05, scan: 0 })).toBe('read 95 %, read-modify-write 5 %')
  expect(mixWords(null)).toBe('')
})
