import { describe, expect, it } from 'vitest'

import { conditionsIn, SERVICES } from './trusts'

const OURS = { claim: 'repository', value: 'acme/store' }

describe('conditions as they are typed', () => {
  it('are a claim and a value a line', () => {
    expect(conditionsIn(OURS, ' environment = live \n\nref=refs/heads/release/*\n')).toEqual({
      repository: 'acme/store',
      environment: 'live',
      ref: 'refs/heads/release/*',
    })
    expect(conditionsIn({ claim: 'sub', value: ' a=b ' }, '')).toEqual({ sub: 'a=b' })
  })

  it('are none with a line that is no condition, or a claim twice', () => {
    const wrong = ['ref', '= x', 'ref =', 'ref = a\nref = b', 'repository = other/store']
    for (const text of wrong) expect(conditionsIn(OURS, text)).toBeNull()
  })

  it('are none while nobody said whose pipelines they are, with every service', () => {
    for (const { whose, conditions } of SERVICES) {
      expect(conditionsIn({ claim: whose.claim, value: ' ' }, conditions)).toBeNull()
      expect(conditionsIn({ claim: whose.claim, value: 'acme/store' }, conditions)).not.toBeNull()
    }
  })
})
