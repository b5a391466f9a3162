import { describe, expect, it } from 'vitest'

import type { System } from '@/api'

import { commonVerbs, fewestNodes, limitsOf, nextFault, objectionTo, targetsOf, withVerb } from './faults'

const system = (id: string, faults: string[]) => ({ id, name: id.toUpperCase(), faults }) as unknown as System
const systems = [
  system('redis', ['kill', 'stop', 'start', 'restart', 'pause', 'resume']),
  system('memcached', ['kill', 'start']),
  system('rocksdb', []),
]
const targets = (...ids: string[]) => targetsOf({ targets: ids.map((id) => ({ system: id })) }, systems)

describe('what can be done to the targets', () => {
  it('is what all of them bear', () => {
    expect(commonVerbs(targets('redis', 'memcached'))).toEqual(['kill', 'start'])
    expect(limitsOf(targets('memcached'))).toEqual([
      'MEMCACHED cannot: stop, restart, replace, remove, pause, resume, network, heal.',
    ])
  })

  it('is nothing where the nodes are somebody else’s', () => {
    const within = { system: 'rocksdb', deployment: 'in_process' }
    const inProcess = targetsOf({ targets: [{ system: 'redis' }, within] }, systems)
    expect(commonVerbs(inProcess)).toEqual([])
    expect(limitsOf(inProcess.slice(1))).toEqual(['ROCKSDB as in process: its nodes are not the agent’s to break.'])
    const external = targetsOf({ targets: [{ system: 'redis', deployment: 'external' }] }, systems)
    expect(commonVerbs(external)).toEqual([])
  })

  it('reaches as many nodes as the smallest target has', () => {
    expect(fewestNodes([{ target: { topology: { nodes: 5 } } }, { target: { topology: { nodes: 3 } } }])).toBe(3)
    expect(fewestNodes([{ target: {} }])).toBe(1)
  })
})

describe('nextFault', () => {
  it('offers the counterpart of the last one', () => {
    const verbs = ['kill', 'start', 'network', 'heal']
    expect(nextFault([], verbs)).toEqual({ at_seconds: 2, verb: 'kill' })
    expect(nextFault([{ at_seconds: 3, verb: 'kill', node: 2 }], verbs)).toEqual({
      at_seconds: 5,
      verb: 'start',
      node: 2,
    })
    expect(nextFault([{ at_seconds: 3, verb: 'network', network: {} }], verbs)).toEqual({ at_seconds: 5, verb: 'heal' })
  })
})

describe('withVerb', () => {
  it('keeps network conditions with the verb network alone', () => {
    expect(withVerb({ at_seconds: 1, verb: 'kill' }, 'network')).toEqual({
      at_seconds: 1,
      verb: 'network',
      network: { delay_ms: 20 },
    })
    expect(withVerb({ at_seconds: 1, verb: 'network', network: { loss_percent: 1 } }, 'heal')).toEqual({
      at_seconds: 1,
      verb: 'heal',
    })
  })
})

describe('objectionTo', () => {
  const of = (nodes: number, replication_factor: number) =>
    targetsOf({ targets: [{ system: 'redis', topology: { nodes, replication_factor } }] }, systems)

  it('keeps the last copy of a record', () => {
    const alone = [{ verb: 'replace', node: 2 }]
    expect(objectionTo(alone, 0, of(3, 1))).toBe('REDIS keeps one copy of each record: node 2’s would be lost.')
    expect(objectionTo(alone, 0, of(3, 2))).toBeUndefined()
    const dead = [{ verb: 'kill' }, { verb: 'remove' }]
    expect(objectionTo(dead, 1, of(3, 1))).toContain('one copy')
    expect(objectionTo([{ verb: 'remove' }], 0, of(3, 1))).toBeUndefined()
  })

  it('leaves as many nodes as there are copies', () => {
    const two = [
      { verb: 'remove', node: 1 },
      { verb: 'remove', node: 2 },
    ]
    expect(objectionTo(two, 0, of(4, 3))).toBeUndefined()
    expect(objectionTo(two, 1, of(4, 3))).toBe('REDIS would have too few nodes for 3 copies of each record.')
  })

  it('does nothing to a node that has left', () => {
    const gone = [
      { verb: 'remove', node: 2 },
      { verb: 'start', node: 2 },
      { verb: 'start', node: 1 },
    ]
    expect(objectionTo(gone, 1, of(4, 2))).toBe('Node 2 has been removed before.')
    expect(objectionTo(gone, 2, of(4, 2))).toBeUndefined()
  })
})
