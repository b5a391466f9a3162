import { describe, expect, it } from 'vitest'

import type { Campaign } from '@/api'

import { findCell, lineOf, median, placeOf, repeatsOf, withLog, withRunStatus } from './progress'

const run = (id: string, repetition: number) => ({
  id,
  repetition,
  status: 'queued' as const,
  throughput: null,
  p99_us: null,
  failure: null,
})
const level = { kind: 'closed' as const, value: 8, label: '8 clients' }
const campaign = {
  targets: [{ name: 'redis', label: 'Redis, appendfsync always' }],
  cells: [{ id: 'c1', target: 'redis', workload: 'balanced', load_level: level, runs: [run('a', 1), run('b', 2)] }],
  runs: { total: 2, queued: 2, running: 0, completed: 0, failed: 0, cancelled: 0 },
} as unknown as Campaign

describe('a campaign under way', () => {
  it('finds a cell and names a run', () => {
    expect(findCell(campaign, 'redis', 'balanced', '8 clients')?.id).toBe('c1')
    expect(findCell(campaign, 'redis', 'other', '8 clients')).toBeUndefined()
    expect(placeOf(campaign, 'b')).toBe('Redis, appendfsync always, balanced, 8 clients, repeat 2')
    expect(placeOf(campaign, 'z')).toBe('a run')
  })

  it('tells the runs that measure a cell again from its repeats', () => {
    const runs = [
      { ...run('a', 1), twin: 0 },
      { ...run('b', 2), twin: 2 },
    ]
    const cells = [{ ...campaign.cells[0], runs }]
    const again = { ...campaign, cells } as unknown as Campaign
    expect(placeOf(again, 'b')).toBe('Redis, appendfsync always, balanced, 8 clients, measured again')
    expect(again.cells.map(repeatsOf).flatMap((repeats) => repeats.map((one) => one.id))).toEqual(['a'])
  })

  it('moves a run and its counts, and leaves the old campaign alone', () => {
    const next = withRunStatus(campaign, 'a', 'allocated')
    expect(next.cells[0]?.runs[0]?.status).toBe('allocated')
    expect(next.runs).toMatchObject({ queued: 1, running: 1 })
    expect(withRunStatus(next, 'a', 'completed').runs).toMatchObject({ queued: 1, running: 0, completed: 1 })
    expect(campaign.runs.queued).toBe(2)
  })

  it('changes nothing for a run it does not know', () => {
    expect(withRunStatus(campaign, 'z', 'failed')).toBe(campaign)
  })

  it('logs what was told before the page was opened, below what came since', () => {
    const told = (id: number, of: string, status: string) => ({
      id,
      at: `2026-11-21T01:30:0${String(id)}Z`,
      run: { run_id: of, cell_id: 'c1', status, phase: null, failure: null },
    })
    const logged = [
      told(1, 'a', 'queued'),
      told(2, 'a', 'allocated'),
      told(3, 'a', 'running'),
      told(4, 'a', 'running'), // another phase
      told(5, 'a', 'queued'), // a lost attempt
    ]
    const since = lineOf(campaign, { ...told(9, 'a', 'allocated').run }, 9, 9)
    const opening = lineOf(campaign, { ...told(7, 'a', 'queued').run }, 7, 7)
    const lines = withLog([since, opening], campaign, { until: 7, logged })
    expect(lines.map((line) => [line.event, line.status])).toEqual([
      [9, 'allocated'],
      [5, 'queued'],
      [3, 'running'],
      [2, 'allocated'],
    ])
    expect(lines.at(-1)).toMatchObject({
      where: 'Redis, appendfsync always, balanced, 8 clients, repeat 1',
      at: Date.parse(logged[1]?.at ?? ''),
    })
  })

  it('takes the median of what is there', () => {
    expect(median([3, null, 1, 2])).toBe(2)
    expect(median([4, 1])).toBe(2.5)
    expect(median([null])).toBeNull()
  })
})
