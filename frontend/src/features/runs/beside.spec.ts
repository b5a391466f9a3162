import { describe, expect, it } from 'vitest'

import type { Fill, RunSeries } from '@/api'
import { testPalette } from '@/charts/testPalette'

import {
  besideLines,
  besideMoments,
  besideOption,
  besideTable,
  chosenRuns,
  momentsTable,
  MOST_RUNS,
  progressAt,
  type RunChoice,
  type RunCourse,
} from './beside'

const choice = (run: string, key: string, repeat: number): RunChoice => ({
  run,
  key,
  name: key,
  colour: '#D55E00',
  mark: '●',
  repeat,
})
const figures = {
  t: [0, 1, 2, 3],
  until: [1, 2, 3, 4],
  throughput: [5, 100, 200, 7],
  p99_us: [1, 10, 20, 1],
} as unknown as RunSeries['operations'][string]
const series = {
  phases: [
    { kind: 'load', start_seconds: 0, end_seconds: 1 },
    { kind: 'measure', start_seconds: 1, end_seconds: 3 },
  ],
  marks: [
    { kind: 'deployed', label: '', at_seconds: 0 },
    { kind: 'eviction', label: 'eviction', at_seconds: 0.5 },
    { kind: 'compaction', label: 'compaction', at_seconds: 2 },
  ],
  operations: { all: figures },
  resources: {
    t: [0.5, 1.5, 2.5],
    cpu_percent: [1, 50, 60],
    resident_bytes: [1, 2, 3],
    disk_bytes: [null, null, null],
  },
} as unknown as RunSeries
const fill = {
  figures: { begun: 0.2, reached: 0.8 },
  line: { progress: [0.4, 0.8], until_seconds: [1, 2] },
} as unknown as Fill
const course = (key: string, repeat = 1, filled = false): RunCourse => ({
  ...choice(`${key}-${repeat}`, key, repeat),
  series,
  fill: filled ? fill : null,
})

describe('which runs are laid over each other', () => {
  it('are the first of each side until others are chosen, and never too many', () => {
    const choices = [choice('a1', 'a', 1), choice('a2', 'a', 2), choice('b1', 'b', 1)]
    expect(chosenRuns(choices, []).map(({ run }) => run)).toEqual(['a1', 'b1'])
    expect(chosenRuns(choices, ['b1', 'gone', 'a2']).map(({ run }) => run)).toEqual(['a2', 'b1'])
    const many = Array.from({ length: 40 }, (_, at) => choice(String(at), String(at), 1))
    expect(chosenRuns(many, [])).toHaveLength(MOST_RUNS)
  })
})

describe('several runs on one axis', () => {
  it('begin where each began to measure, and end there', () => {
    const [line] = besideLines([course('a')], 'throughput', 'time')
    expect([line?.times, line?.until, line?.values]).toEqual([
      [0, 1],
      [1, 2],
      [100, 200],
    ])
    expect(besideLines([course('a')], 'cpu', 'time')[0]?.times).toEqual([0.5, 1.5])
  })

  it('are told apart by side, and repeats of a side by number and dash', () => {
    const lines = besideLines([course('a', 1), course('a', 2), course('b', 2)], 'throughput', 'time')
    expect(lines.map(({ name, dash }) => [name, dash])).toEqual([
      ['a, repeat 1', 'solid'],
      ['a, repeat 2', 'dashed'],
      ['b', 'solid'],
    ])
  })

  it('draw nothing of what nobody measured', () => {
    expect(besideLines([course('a')], 'disk', 'time')).toEqual([])
    expect(besideLines([{ ...course('a'), series: { ...series, phases: [] } }], 'throughput', 'time')).toEqual([])
  })

  it('share the progress of what they fill; who fills nothing is not on it', () => {
    expect([0, 0.5, 1, 1.5, 2, 9].map((at) => Math.round(progressAt(fill, at)))).toEqual([20, 30, 40, 60, 80, 80])
    const lines = besideLines([course('a', 1, true), course('b')], 'throughput', 'progress')
    expect(lines).toHaveLength(1)
    expect(lines[0]?.until?.map(Math.round)).toEqual([40, 80])
    expect(besideTable([course('a', 1, true)], 'throughput', 'progress').rows).toEqual([
      ['a', 40, 100],
      ['a', 80, 200],
    ])
    const option = besideOption([course('a', 1, true)], 'throughput', 'progress', testPalette) as {
      xAxis: { min: number; max: number }
    }
    expect([option.xAxis.min, option.xAxis.max]).toEqual([20, 80])
  })

  it('have the marks of their measured phases, each named after its side', () => {
    expect(besideMoments([course('a')], 'time').map(({ at_seconds, label }) => [at_seconds, label])).toEqual([
      [1, 'a: compaction'],
    ])
    expect(momentsTable([course('a', 1, true)], 'progress').rows).toEqual([[40, 'a: compaction']])
  })
})
