import { describe, expect, it } from 'vitest'

import { clockInWords, kindOf, sharedMachines, workOf, type Member } from './machines'

function member(changed: Partial<Member>): Member {
  return {
    index: 0,
    agent: { id: 'a', name: 'north' },
    slot: 'machine',
    roles: ['server'],
    nodes: [],
    share: null,
    status: 'completed',
    phase: null,
    machine_id: null,
    environment: {},
    threads: null,
    clock_offset_us: null,
    clock_error_us: null,
    started_at: null,
    finished_at: null,
    failure: null,
    log_streams: [],
    ...changed,
  }
}

describe('the machines of a run', () => {
  it('say what each did', () => {
    expect(workOf(member({ nodes: [2] }))).toBe('node 2')
    expect(workOf(member({ nodes: [1, 4, 7], share: { index: 0, of: 1 } }))).toBe('nodes 1, 4 and 7, all of the load')
    expect(workOf(member({ share: { index: 1, of: 2 } }))).toBe('part 2 of 2 of the load')
    expect(workOf(member({ roles: ['driver', 'server'] }))).toBe('driver and server')
  })

  it('say how far a clock was off, and nothing of one that was not asked', () => {
    expect(clockInWords(member({ clock_offset_us: -1_234, clock_error_us: 150 }))).toBe('1.23 ms ahead, ±0.15 ms')
    expect(clockInWords(member({ clock_offset_us: 25_000, clock_error_us: 12_000 }))).toBe('25 ms behind, ±12 ms')
    expect(clockInWords(member({}))).toBe('')
  })

  it('tell agents that share a machine', () => {
    const north = member({ index: 0, machine_id: 'x' })
    const east = member({ index: 1, machine_id: 'y' })
    const south = member({ index: 2, machine_id: 'x' })
    expect(sharedMachines([north, east, south])).toEqual([[north, south]])
    expect(sharedMachines([member({}), member({})])).toEqual([])
  })

  it('describe a machine as far as it told', () => {
    expect(kindOf(member({ environment: { cpu_model: 'EPYC', cores: 2 } }))).toBe('EPYC, 2 processors')
    expect(kindOf(member({}))).toBe('not told')
  })
})
