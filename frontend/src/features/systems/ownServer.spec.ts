import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'

import { exampleOf, experimentOf, policyFor } from './ownServer'

const redis = {
  id: 'redis',
  name: 'Redis',
  addresses: { kinds: ['tcp', 'tls', 'unix'], port: 6379, example: 'redis://redis.example:6379/3' },
} as unknown as Parameters<typeof policyFor>[0]
const other = { id: 'other', name: 'Other', addresses: null } as unknown as typeof redis

describe('a server that somebody else runs', () => {
  it('begins with the address that its people would write', () => {
    const document = parse(experimentOf(redis)) as { slug: string; targets: object[] }
    expect(document.slug).toBe('our-redis')
    expect(document.targets).toEqual([
      { name: 'redis', system: 'redis', deployment: 'external', endpoints: ['redis://redis.example:6379/3'] },
    ])
    expect(exampleOf(other)).toBe('tcp://10.0.0.5:6379')
  })

  it('is reached by TLS where its driver can', () => {
    expect(policyFor(redis)).toContain('endpoints = ["tls://HOST:6379"]')
    expect(policyFor(redis)).toContain('tls_ca_file')
    expect(policyFor(other)).toContain('endpoints = ["tcp://HOST:PORT"]')
    expect(policyFor(other)).not.toContain('tls')
  })
})
