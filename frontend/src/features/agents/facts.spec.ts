import { describe, expect, it } from 'vitest'

import { factParts, factRows, machineLine, policyRows } from './facts'

describe('facts of a machine', () => {
  it('carry names and units, and say what is unknown', () => {
    const rows = factRows({
      memory_bytes: 2 ** 38,
      cores: 64,
      virtualisation: null,
      versions: { agent: '0.1.0' },
      new_fact: true,
    })
    expect(rows).toEqual([
      { key: 'Cores', value: '64', mono: false },
      { key: 'Memory', value: '256 GiB', mono: false },
      { key: 'Virtualisation', value: null, mono: false },
      { key: 'Versions', value: 'agent 0.1.0', mono: false },
      { key: 'new fact', value: true, mono: false },
    ])
  })

  it('tell of the disk and of each card in words, and leave out what they do not know', () => {
    const rows = factRows({
      storage: { device: 'vda', scheduler: null, rotational: false, free_bytes: 2 ** 30 },
      network_devices: [
        { speed_megabits: 25000, name: 'ens1' },
        { name: 'eth0', speed_megabits: null },
      ],
      steal_percent: 0.25,
      clock_error_us: 1500,
      mitigations: { spectre_v2: 'Mitigation: IBRS' },
    })
    expect(Object.fromEntries(rows.map((row) => [row.key, row.value]))).toEqual({
      Mitigations: 'spectre v2 Mitigation: IBRS',
      'Steal since boot': '0.25 %',
      'Clock error': '1\u2009500 µs',
      Storage: 'device vda, rotational no, free 1.00 GiB',
      'Network devices': 'name ens1, speed 25\u2009000 Mbit/s; name eth0',
    })
    expect(factRows({ network_devices: [], mitigations: {} }).map((row) => row.value)).toEqual(['none', 'none'])
  })

  it('have what one looks for first, the rest after it, and name what is not known once', () => {
    const facts = {
      versions: { agent: '0.1.0' },
      cores: 64,
      turbo: null,
      virtualisation: 'kvm',
      cgroup_cpu_limit: null,
    }
    expect(factParts(facts)).toEqual({
      first: [
        { key: 'Cores', value: '64', mono: false },
        { key: 'Virtualisation', value: 'kvm', mono: false },
      ],
      rest: [{ key: 'Versions', value: 'agent 0.1.0', mono: false }],
      silent: ['cgroup CPU limit', 'Turbo'],
    })
  })

  it('name the slots of a policy, and what each has', () => {
    const slots = [
      { name: 'machine', processors: [] },
      { name: 'left', processors: [0, 1] },
    ]
    expect(policyRows({ slots, address: '127.0.0.1' })).toEqual([
      { key: 'Slots', value: 'name machine, processors all; name left, processors 0, 1' },
      { key: 'Address', value: '127.0.0.1' },
    ])
  })

  it('fit in one line', () => {
    expect(machineLine({ cpu_model: 'AMD  EPYC', cores: 2, memory_bytes: 2 ** 30 })).toBe('AMD EPYC, 2 cores, 1.00 GiB')
    expect(machineLine({})).toBe('unknown CPU')
  })
})

describe('a policy', () => {
  it('says where there is no limit', () => {
    expect(
      policyRows({
        plugins: ['*'],
        networks: ['127.0.0.0/8'],
        deployments: ['process', 'in_process'],
        max_clients: null,
        max_run_seconds: 86400,
      }),
    ).toEqual([
      { key: 'Plugins', value: 'all' },
      { key: 'Networks', value: '127.0.0.0/8' },
      { key: 'Deployments', value: 'process, in process' },
      { key: 'Longest run', value: '86\u2009400 s' },
      { key: 'Most clients', value: 'no limit' },
    ])
  })
})
