import { describe, expect, it } from 'vitest'

import { missingOf } from './missing'

const PARTS = [
  { name: 'database' as const, condition: 'ok' as const, missing: null, mend: null },
  { name: 'worker' as const, condition: 'away' as const, missing: 'nothing is settled', mend: 'start it' },
  { name: 'migrations' as const, condition: 'unknown' as const, missing: null, mend: null },
]

describe('what is missing', () => {
  it('is what parts say that are away, not what cannot be known', () => {
    expect(missingOf({ parts: PARTS, conditions: [] })).toEqual([
      { name: 'worker', missing: 'nothing is settled', mend: 'start it' },
    ])
  })

  it('is each condition by its name, with what the part says that it speaks of, once', () => {
    const since = '2026-11-26T04:31:00Z'
    const at = new Date(since).toLocaleTimeString('en-GB')
    const conditions = [
      { name: 'no-space' as const, since, detail: "PostgreSQL's disk is full" },
      { name: 'worker-away' as const, since, detail: 'no worker gives a sign of life' },
    ]
    expect(missingOf({ parts: PARTS, conditions })).toEqual([
      {
        name: 'No space',
        missing: `PostgreSQL's disk is full (since ${at})`,
        mend: 'Make room on that disk. It goes on by itself; nothing that was kept is lost.',
      },
      {
        name: 'Worker away',
        missing: `no worker gives a sign of life; nothing is settled (since ${at})`,
        mend: 'start it',
      },
    ])
  })

  it('is nothing while nobody answers: another notice says so', () => {
    expect(missingOf(null)).toEqual([])
  })
})
