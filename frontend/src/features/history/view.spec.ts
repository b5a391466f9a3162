import { describe, expect, it } from 'vitest'

import type { Annotation, Series, SeriesSummary } from '@/api'
import { saysBetter } from '@/charts'

import {
  changesOf,
  historyInWords,
  historyOf,
  historyTable,
  lineOf,
  notesOf,
  onMainLine,
  pointsOf,
  readZoom,
  searched,
  zoomText,
} from './view'

const point = (number: number, value: number) => ({
  at: `2026-11-2${number}T01:00:00Z`,
  asked_at: `2026-11-2${number}T01:00:00Z`,
  campaign_id: `c${number}`,
  campaign_number: number,
  value,
  low: value - 1,
  high: value + 1,
  repeats: [value],
  segment: 0,
  place: null,
  kernel: null,
  memory_bytes: null,
  place_changes: [] as string[],
  off_main_line: false,
  version: '7.0',
  git: null,
})
const change = {
  id: 'x',
  kind: 'step',
  at: '2026-11-22T01:00:00Z',
  campaign_id: 'c2',
  ended_by_id: null,
  before: 100,
  after: 110,
  relative: 0.1,
  status: 'confirmed',
  state: 'untriaged',
}
const series = {
  target: 'redis',
  target_name: 'Redis',
  workload: 'balanced',
  load_level: { label: '8 clients' },
  points: [point(1, 100), point(2, 110)],
  segments: [],
  bands: [],
  gaps: [
    {
      kind: 'no_result',
      at: '2026-11-21T12:00:00Z',
      until: '2026-11-21T12:00:00Z',
      dates_count: 1,
      reason: 'campaign № 9 was cancelled',
      campaign_id: 'c9',
      campaign_number: 9,
    },
  ],
  change_points: [change],
} as unknown as Series
const note = (subject: object, at: string | null = null) =>
  ({ id: 'n', subject, text: 'new disk', author: 'Ada', at }) as unknown as Annotation
const format = { name: '', write: (value: number) => `${value} op/s` }
const input = historyOf(series, [lineOf(series, 'redis', '#000000')], {
  format,
  along: 'campaign',
  moreIsBetter: true,
})

describe('changes', () => {
  it('are better or worse by the figure', () => {
    expect(changesOf(series, true)[0]).toMatchObject({ better: true, open: true, state: '' })
    expect(saysBetter({ kind: 'step', relative: 0.1 }, false)).toBe(false)
    expect(saysBetter({ kind: 'step', relative: 0.1 }, null)).toBeNull()
    expect(saysBetter({ kind: 'moved', relative: 0.1 }, true)).toBeNull()
    expect(saysBetter({ kind: 'spread', relative: 2 }, true)).toBeNull()
  })

  it('ask for nobody any more once they were triaged', () => {
    const triaged = { ...series, change_points: [{ ...change, state: 'wont_fix' }] } as unknown as Series
    expect(changesOf(triaged, true)[0]).toMatchObject({ open: false, state: 'wont fix' })
  })
})

describe('a line', () => {
  it('knows where its series is parted, and on which machines it was measured', () => {
    const line = lineOf({ ...series, points: [{ ...point(1, 100), place: 'a' }] }, 'redis', '#000')
    expect(line.breaks).toEqual(['2026-11-22T01:00:00Z', '2026-11-21T12:00:00Z'])
    expect(line.points[0]?.place).toBe('a')
  })
})

describe('notes', () => {
  it('stand at their point, their instant, or the begin of their series', () => {
    const notes = [
      note({ kind: 'point', series_id: 's', campaign_id: 'c2' }),
      note({ kind: 'series', series_id: 's' }, '2026-11-21T05:00:00Z'),
      note({ kind: 'series', series_id: 's' }),
      note({ kind: 'point', series_id: 's', campaign_id: 'gone' }),
    ]
    expect(notesOf(notes, series).map((one) => one.at)).toEqual([
      '2026-11-22T01:00:00Z',
      '2026-11-21T05:00:00Z',
      '2026-11-21T01:00:00Z',
    ])
  })
})

describe('a history', () => {
  it('has places for its gaps', () => {
    expect(pointsOf(input).map((one) => one.at)).toEqual([
      [0, 100],
      [2, 110],
    ])
    expect(pointsOf(input)[1]?.label).toBe('№ 2, 22/11/2026: 110 op/s')
  })

  it('is told in a sentence', () => {
    expect(historyInWords(series, format)).toBe(
      'Redis, balanced, 8 clients rises from 100 op/s at campaign № 1 to 110 op/s at campaign № 2. 1 confirmed change.',
    )
  })

  it('has what stands apart in its table and chart, and not in its sentence', () => {
    const apart = { ...point(3, 50), off_main_line: true }
    const altered = { ...point(2, 110), place_changes: ['kernel 6.1.90 → 6.1.92'] }
    const told = { ...series, points: [point(1, 100), altered, apart] } as unknown as Series
    expect(historyInWords(told, format)).toContain('to 110 op/s at campaign № 2')
    const { columns, rows } = historyTable(told, [])
    const cells = ['line', 'machine changed'].map((name) => rows.map((row) => row[columns.indexOf(name)]))
    expect(cells).toEqual([
      ['main', null, 'main', 'apart'],
      [null, null, 'kernel 6.1.90 → 6.1.92', null],
    ])
    const line = lineOf(told, 'redis', '#000')
    expect(line.points.map((one) => one.apart)).toEqual([false, false, true])
    expect(line.points[1]?.altered).toEqual(['kernel 6.1.90 → 6.1.92'])
    expect(onMainLine(told.points).map((one) => one.campaign_number)).toEqual([1, 2])
  })

  it('has gaps and notes in its table', () => {
    const { columns, rows } = historyTable(series, [note({ kind: 'point', series_id: 's', campaign_id: 'c2' })])
    expect(rows.every((row) => row.length === columns.length)).toBe(true)
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
      ['№ 1', null],
      ['№ 9', 'campaign № 9 was cancelled'],
      ['№ 2', 'new disk'],
    ])
  })
})

describe('searched', () => {
  it('wants every word, anywhere in the names', () => {
    const one = { ...series, system_id: 'redis', experiment: { id: 'e', name: 'Nightly' } } as unknown as SeriesSummary
    expect(searched([one], 'nightly 8')).toEqual([one])
    expect(searched([one], 'nightly 16')).toEqual([])
    expect(searched([one], ' ')).toEqual([one])
  })
})

describe('zoom', () => {
  it('goes to the address and back', () => {
    expect(readZoom(zoomText([25, 50.04]))).toEqual([25, 50])
    expect(zoomText(null)).toBe('')
    expect(readZoom('')).toBeNull()
    expect(readZoom('80-20')).toBeNull()
  })
})
