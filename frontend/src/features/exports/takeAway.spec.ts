import { describe, expect, it } from 'vitest'

import { exportAddress, hasFigures } from './takeAway'

describe('the address of an export', () => {
  it('is narrowed as the list is, and asks for nothing that is empty', () => {
    const query = { status: 'completed', text: '', by: undefined, cursor: null, pull_request: 7 }
    expect(exportAddress('campaigns', 'csv', { query })).toBe(
      '/api/v1/exports/campaigns?status=completed&pull_request=7&format=csv',
    )
  })

  it('names what is repeated each time', () => {
    expect(exportAddress('comparison', 'parquet', { query: { side: ['a~x', 'b~y'] }, table: 'all' })).toBe(
      '/api/v1/exports/comparison?side=a%7Ex&side=b%7Ey&table=all&format=parquet',
    )
  })

  it('says for whom, where it is not for the organization', () => {
    expect(exportAddress('runs/1', 'hlog', { audience: 'public' })).toBe(
      '/api/v1/exports/runs/1?format=hlog&audience=public',
    )
  })
})

describe('for whom it may be', () => {
  it('is asked of what has figures', () => {
    expect(['series', 'runs', 'campaigns/1', 'comparison', 'studies'].every(hasFigures)).toBe(true)
  })

  it('is no question of lists of things and people', () => {
    expect(['members', 'shares', 'api-tokens', 'reports', 'systems'].some(hasFigures)).toBe(false)
  })
})
