import { describe, expect, it } from 'vitest'

import type { Run } from '@/api'

import { begunLinks, chainSentence, linkRows } from './chain'

const marks = (...labels: string[]) =>
  labels.map((label) => ({ at: '2026-11-23T12:00:00Z', kind: 'phase', label, member: 0 })) as Run['timeline']

function run(id: string, statuses: Record<string, string>, timeline: Run['timeline'] = []): Run {
  const chain = Object.entries(statuses).map(([workload, status]) => ({
    id: workload,
    status,
    cell: { workload },
    summary: status === 'completed' ? { throughput: 1 } : null,
  }))
  return { id, timeline, chain } as unknown as Run
}

describe('the chain of a run', () => {
  it('counts a link by its warm-up, or by its measured phase where it has none', () => {
    expect(begunLinks(marks('deploy', 'load'))).toBe(0)
    expect(begunLinks(marks('deploy', 'load', 'warmup'))).toBe(1)
    expect(begunLinks(marks('deploy', 'load', 'warmup', 'measure'))).toBe(1)
    expect(begunLinks(marks('deploy', 'load', 'warmup', 'measure', 'measure'))).toBe(2)
    expect(begunLinks(marks('load', 'measure', 'warmup', 'measure', 'collect'))).toBe(2)
  })

  it('tells of the first run how far the chain is', () => {
    const states = { a: 'running', b: 'queued', c: 'queued' }
    const at = (...labels: string[]) => linkRows(run('a', states, marks(...labels))).map((row) => row.state)
    expect(at('deploy', 'load')).toEqual(['under way', 'to come', 'to come'])
    expect(at('load', 'warmup', 'measure', 'warmup')).toEqual(['measured', 'under way', 'to come'])
    expect(at('measure', 'measure', 'measure')).toEqual(['measured', 'measured', 'under way'])
  })

  it('says of the others what they are, and nothing beside figures', () => {
    expect(linkRows(run('b', { a: 'running', b: 'queued' })).map((row) => row.state)).toEqual(['running', 'queued'])
    const done = linkRows(run('b', { a: 'completed', b: 'completed' }))
    expect(done.map(({ place, shown, state }) => [place, shown, state])).toEqual([
      [1, false, ''],
      [2, true, ''],
    ])
    expect(linkRows(run('a', { a: 'failed', b: 'failed' })).map((row) => row.state)).toEqual(['failed', 'failed'])
  })

  it('says in a sentence what came before', () => {
    const states = { writes: 'completed', reads: 'completed', both: 'completed' }
    expect(chainSentence(run('writes', states))).toContain('the first, on the data as it was loaded')
    expect(chainSentence(run('both', states))).toBe(
      'Phase 3 of 3 on one system, loaded once: on the data as writes and then reads left it.',
    )
  })
})
