import { describe, expect, it } from 'vitest'

import { factRows, machineLine, policyRows } from './facts'

describe('facts of a machine', () => {
  it('carry names and units, and say what is unknown', () => {
    const rows = factRows({ memory_bytes: 2 ** 38, cores: 64, virtualisation: null, versions: { agent: '0.1.0' }, new_fact: true })
    expect(rows).toEqual([
      { key: 'Cores', value: '64', mono: false },
      { key: 'Memory', value: '256 GiB', mono: false },
      { key: 'Virtualisation', value: null, mono: false },
      { key: 'Versions', value: 'agent 0.1.0', mono: false },
      { key: 'new fact', value: true, mono: false },
    ])
  })

  it('fit in one line', () => {
    expect(machineLine({ cpu_model: 'AMD  EPYC', cores: 2, memory_bytes: 2 ** 30 })).toBe('AMD EPYC, 2 cores, 1.00 GiB')
    expect(machineLine({})).toBe('unknown CPU')
  })
})

describe('a policy', () => {
  it('says where there is no limit', () => {
    expect(policyRows({ plugins: ['*'], networks: ['127.0.0.0/8'], max_clients: null, max_run_seconds: 86400 })).toEqual([
      { key: 'Plugins', value: 'all' },
      { key: 'Networks', value: '127.0.0.0/8' },
      { key: 'Longest run', value: '86\u2009400 s' },
      { key: 'Most clients', value: 'no limit' },
    ])
  })
})
