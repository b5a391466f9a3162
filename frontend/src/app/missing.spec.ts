import { describe, expect, it } from 'vitest'

import { missingOf } from './missing'

describe('what is missing', () => {
  it('is what parts say that are away, not what cannot be known', () => {
    const parts = [
      { name: 'database' as const, condition: 'ok' as const, missing: null, mend: null },
      { name: 'worker' as const, condition: 'away' as const, missing: 'nothing is settled', mend: 'start it' },
      { name: 'migrations' as const, condition: 'unknown' as const, missing: null, mend: null },
    ]
    expect(missingOf({ parts })).toEqual([{ name: 'worker', missing: 'nothing is settled', mend: 'start it' }])
  })

  it('is nothing while nobody answers: another notice says so', () => {
    expect(missingOf(null)).toEqual([])
  })
})
