import { describe, expect, it } from 'vitest'

import type { PublishedResults } from '@/api'

import { correctedResults } from './corrected'

const figure = {
  figure: 'p99_us',
  operation: 'READ',
  value: 900,
  printed: '900 µs',
  statistic: 'averaged',
  place: 'Table 2',
}
const results = {
  source: { title: 'A text' },
  cells: [{ side: 'one' }, { side: 'two', figures: [figure, { ...figure, figure: 'mean_us' }] }],
} as unknown as PublishedResults

describe('correctedResults', () => {
  it('changes the figure that is named, and of it what was printed and what that stands for', () => {
    const understood = { value: 90, low: 89.5, high: 90.5, unit: 'µs', problem: '' }
    const { cells } = correctedResults(results, { '1.0': { printed: ' 90 µs ', understood } })
    expect(cells[1]!.figures).toEqual([
      { ...figure, printed: '90 µs', value: 90, low: 89.5, high: 90.5 },
      { ...figure, figure: 'mean_us' },
    ])
    expect(results.cells[1]!.figures[0]).toBe(figure)
  })
  it('changes nothing else', () => {
    expect(correctedResults(results, {}).cells[1]).toEqual(results.cells[1])
  })
})
