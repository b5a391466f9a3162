import { describe, expect, it } from 'vitest'

import { conditionsIn, SERVICES } from './trusts'

describe('conditions as they are typed', () => {
  it('are a claim and a value a line', () => {
    expect(conditionsIn(' repository = acme/store \n\nref=refs/heads/release/*\n')).toEqual({
      repository: 'acme/store',
      ref: 'refs/heads/release/*',
    })
    expect(conditionsIn('sub = a=b')).toEqual({ sub: 'a=b' })
  })

  it('are none with a line that is no condition, or a claim twice', () => {
    for (const text of ['', 'ref', '= x', 'ref =', 'ref = a\nref = b']) expect(conditionsIn(text)).toBeNull()
  })

  it('are offered as they are read', () => {
    for (const one of SERVICES.slice(0, 2)) expect(conditionsIn(one.conditions)).not.toBeNull()
  })
})
