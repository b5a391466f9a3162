import { describe, expect, it } from 'vitest'

import { courseOf, momentOf, type Mark } from './course'

const mark = (at_seconds: number, kind: string, label = ''): Mark => ({ at_seconds, kind, label })

describe('courseOf', () => {
  it('puts a verb and what became of it together', () => {
    const [kill, start] = courseOf([
      mark(0, 'deployed', '7.0'),
      mark(5, 'fault', 'kill node 2'),
      mark(5.01, 'fault_done', 'node 2: killed'),
      mark(9, 'fault', 'start node 2'),
      mark(12.5, 'fault_done', 'node 2: serves again after 3.5 s'),
    ])
    expect(kill).toMatchObject({ tone: 'fault', icon: 'cancel', what: 'kill node 2', outcome: 'node 2: killed' })
    expect(start).toMatchObject({ icon: 'play', seconds: 3.5 })
  })

  it('tells a failed verb by its reason alone', () => {
    const [row] = courseOf([
      mark(1, 'fault', 'start node 1'),
      mark(2, 'fault_failed', 'start node 1: Redis ended with 1'),
    ])
    expect(row).toMatchObject({ tone: 'failed', what: 'start node 1', outcome: 'Redis ended with 1' })
  })

  it('keeps a verb that was never begun', () => {
    const [row] = courseOf([mark(4, 'fault_failed', 'pause node 1: the measured phase had ended')])
    expect(row).toMatchObject({ tone: 'failed', what: 'pause node 1', outcome: 'the measured phase had ended' })
  })

  it('pairs the events of each node by themselves', () => {
    const rows = courseOf([
      mark(1, 'compaction_began', 'node 1: compaction began'),
      mark(2, 'compaction_began', 'node 2: compaction began'),
      mark(4, 'compaction_ended', 'node 1: compaction ended'),
      mark(6, 'eviction', 'eviction'),
    ])
    expect(rows.map((row) => [row.what, row.seconds, row.outcome])).toEqual([
      ['node 1: compaction', 3, 'ended'],
      ['node 2: compaction', null, 'under way'],
      ['eviction', null, ''],
    ])
  })

  it('shows what the platform could not look at as trouble', () => {
    const [row] = courseOf([mark(1, 'sample_failed', 'Redis does not answer')])
    expect(row).toMatchObject({ tone: 'failed', what: 'sample failed', outcome: 'Redis does not answer' })
  })
})

describe('momentOf', () => {
  it('stretches over time only what took some', () => {
    const [quick, slow] = courseOf([
      mark(1, 'fault', 'pause node 1'),
      mark(1.001, 'fault_done', 'node 1: paused'),
      mark(2, 'fault', 'restart node 1'),
      mark(3, 'fault_done', 'node 1: serves again after 1.0 s'),
    ]).map(momentOf)
    expect(quick?.until_seconds).toBeUndefined()
    expect(slow?.until_seconds).toBe(3)
  })
})
