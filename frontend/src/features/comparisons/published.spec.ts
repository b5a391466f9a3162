import { describe, expect, it } from 'vitest'

import type { PublishedCell, PublishedFigure, PublishedSide } from '@/api'

import { placedEntry, placements, publishedCurves, publishedName } from './published'

const figure = (name: string, value: number, operation = 'all'): PublishedFigure => ({
  figure: name,
  operation,
  value,
  low: null,
  high: null,
  printed: '',
  unit: '',
  statistic: 'unknown',
  place: '',
  recomputed: null,
  recomputed_how: '',
  setting: '',
})
const cell = (workload: string, clients: number, figures: PublishedFigure[]) =>
  ({
    side: 'redis',
    workload,
    load: { clients, pipeline: null, rate: null, loop: 'closed', label: '' },
    figures,
  }) as unknown as PublishedCell
const side = (cells: PublishedCell[]) =>
  ({
    key: 's~redis',
    label: 'Redis',
    colour: '#D55E00',
    mark: '●',
    source: { title: 'A long title of a study of stores under load' },
    cells,
    findings: [],
  }) as unknown as PublishedSide

describe('published sides', () => {
  it('are never called by their system alone', () => {
    expect(publishedName(side([]))).toBe('Redis, published: A long title of a study of…')
  })

  it('stand under the workload of their name, under the only one, or where somebody said', () => {
    const one = side([cell('Reads', 8, []), cell('scans', 8, [])])
    const found = placements(one, ['reads', 'writes'], [])
    expect(found.map(({ ours, same }) => [ours, same])).toEqual([
      ['reads', true],
      ['', false],
    ])
    expect(placements(one, ['mixed'], []).map(({ ours, same }) => [ours, same])).toEqual([
      ['mixed', false],
      ['mixed', false],
    ])
    const placed = [placedEntry('s~redis', 'scans', 'writes'), placedEntry('s~redis', 'Reads', '')]
    expect(placements(one, ['reads', 'writes'], placed).map(({ ours }) => ours)).toEqual(['', 'writes'])
    expect(placements(one, ['reads'], [placedEntry('s~redis', 'scans', 'gone')])[1]!.ours).toBe('')
  })

  it('are drawn where both figures are known, each operation by itself', () => {
    const all = [figure('throughput', 100), figure('p99_us', 900)]
    const split = [figure('throughput', 200), figure('p99_us', 800, 'READ'), figure('p99_us', 950, 'UPDATE')]
    const one = side([cell('reads', 32, split), cell('reads', 8, all), cell('reads', 1, [figure('throughput', 5)])])
    const found = publishedCurves({ published: [one], workloads: ['reads'] }, 'reads', 'p99_us', [])
    expect(found.map(({ name, points }) => [name.replace(/^.*…/, ''), points.map(({ x, y }) => [x, y])])).toEqual([
      [', READ', [[200, 800]]],
      [', UPDATE', [[200, 950]]],
      ['', [[100, 900]]],
    ])
    expect(found.every((line) => line.isPublished)).toBe(true)
    expect(found[0]!.points[0]!.tip.at(-1)).toMatch(/not measured here/)
  })
})
