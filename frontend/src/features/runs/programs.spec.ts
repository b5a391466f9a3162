import { expect, it } from 'vitest'

import { programRows } from './programs'

it('has a row for each role', () => {
  const program = { name: 'redis-server', sha256: 'ab', build_id: '', parts: 0, parts_sha256: '' }
  expect(
    programRows([
      { ...program, role: 'system' },
      { ...program, role: 'system', sha256: 'cd', build_id: 'ef' },
      { ...program, role: 'driver', name: 'resp' },
    ]),
  ).toEqual([
    { key: 'system that ran', value: 'redis-server, sha256 ab; redis-server, sha256 cd, build ef', mono: true },
    { key: 'driver that ran', value: 'resp, sha256 ab', mono: true },
  ])
})
