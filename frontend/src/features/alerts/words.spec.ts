import { describe, expect, it } from 'vitest'

import type { Alert, AlertMember } from '@/api'

import { KEYS, STATE_OF_KEY, statesOf } from './states'
import { matches, named, placeOf, sidesOf, subtitle, told, toneOf, written } from './words'

function member(changes: Partial<AlertMember> = {}): AlertMember {
  return {
    change_point_id: 'c1',
    series_id: 's1',
    metric: 'throughput',
    workload: 'balanced',
    load_level: { kind: 'closed', value: 4, label: '4 clients' },
    campaign_id: 'k1',
    campaign_number: 41,
    before: 165_000,
    after: 152_000,
    relative: -0.079,
    better: false,
    p_value: 0.001,
    ...changes,
  }
}

function alert(changes: Partial<Alert> = {}): Alert {
  const lead = member()
  return {
    id: 'a1',
    kind: 'change',
    title: 'Throughput of redis fell by 7.9 %',
    state: 'untriaged',
    downstream_of_id: null,
    version: 1,
    raised_at: '2026-11-22T10:00:00Z',
    state_at: '2026-11-22T10:00:00Z',
    ended_at: null,
    assignee: null,
    due_on: null,
    note: '',
    link: null,
    experiment: { id: 'e1', name: 'Nightly' },
    agent: null,
    change: {
      kind: 'step',
      at: '2026-11-21T10:00:00Z',
      campaign_id: 'k1',
      campaign_number: 41,
      target: 'redis',
      target_name: 'Redis',
      system_id: 'redis',
      profile: 'strict',
      better: false,
      lead,
      downstream: [member({ metric: 'p99_us', change_point_id: 'c2' })],
      earlier: [],
    },
    missed: null,
    ...changes,
  }
}

describe('alerts in words', () => {
  it('writes figures with their units and names', () => {
    expect(written('throughput', 152_000)).toMatch(/152.*op\/s/)
    expect(written('p99_us', 1400)).toMatch(/1[.,]4.*ms/)
    expect(named('p99_us')).toBe('p99 latency')
    expect(placeOf(member())).toBe('balanced, 4 clients')
  })

  it('paints an improvement green', () => {
    expect([toneOf(member()), toneOf(member({ better: true }))]).toEqual(['bad', 'good'])
  })

  it('says where, since when and how many others', () => {
    expect(subtitle(alert())).toBe('№ 41 · and 1 other · Nightly')
    const missed = { times: 2, first_at: null, last_at: null, reason: 'the worker was down' }
    const late = alert({
      kind: 'missed_run',
      change: null,
      missed: { ...missed, campaign_id: null, campaign_number: null },
    })
    expect(subtitle(late)).toBe('the worker was down')
    expect(subtitle({ ...late, ended_at: '2026-11-22T11:00:00Z' })).toBe('over: the next one worked')
  })

  it.each([
    ['', true],
    ['redis nightly', true],
    ['p99 balanced', true],
    ['untriaged', true],
    ['memcached', false],
    ['redis noise', false],
  ])('finds %j: %s', (search, found) => {
    expect(matches(alert(), search)).toBe(found)
  })

  it('tells what was changed, people and states by their names', () => {
    const line = {
      kind: 'triaged' as const,
      at: '2026-11-22T10:00:00Z',
      actor: 'Mia',
      changes: { state: ['untriaged', 'wont_fix'], assignee: [null, 'Mia'], downstream_of_id: [null, 'x'] },
      reason: '',
    }
    expect(told(line)).toEqual({
      what: 'Triaged',
      changes: ['state: untriaged → won’t fix', 'assignee: nothing → Mia'],
    })
  })
})

describe('states', () => {
  it('have a key each, but for those that are not said by one', () => {
    expect([...STATE_OF_KEY]).toEqual([
      ['a', 'acknowledged'],
      ['n', 'noise'],
      ['i', 'infrastructure'],
      ['e', 'expected'],
      ['w', 'wont_fix'],
      ['f', 'fixed'],
    ])
    const keys = KEYS.flatMap((line) => line.keys)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('are chosen one by one, open or all', () => {
    expect(statesOf('open')).toEqual(['untriaged', 'acknowledged'])
    expect(statesOf('noise')).toEqual(['noise'])
    expect(statesOf('all')).toBeUndefined()
  })
})

describe('a change that says nothing of the build', () => {
  it('is neither good nor bad', () => {
    expect(toneOf(member({ better: null }))).toBe('info')
  })

  it('has spreads on its sides where noise changed, and levels where a machine was replaced', () => {
    const noise = member({ before: 0.01, after: 0.03 })
    expect(sidesOf('spread', noise)).toEqual({ before: '±1.0\u2009%', after: '±3.0\u2009%' })
    expect(sidesOf('moved', member()).before).toBe(written('throughput', 165_000))
  })
})
