import { describe, expect, it } from 'vitest'

import { levelBarsOption, type LevelBarsInput } from './levelBars'
import { testPalette } from './testPalette'

const input: LevelBarsInput = {
  sides: [
    {
      name: 'Redis <7>',
      colour: '#D55E00',
      mark: '●',
      points: [{ level: '1 client', median: 90, low: 80, high: 104, repeats: [80, 90, 104] }],
    },
    { name: 'Memcached', colour: '#009E73', mark: '▲', points: [] },
  ],
  levels: [
    { key: '1 client', label: '1' },
    { key: '8 clients', label: '8' },
  ],
  axisName: 'clients',
  format: { name: 'op/s', write: (value) => `${value} op/s` },
}

interface Series {
  type: string
  name: string
  data: unknown[]
}

describe('levelBarsOption', () => {
  const option = levelBarsOption(input, testPalette)
  const series = option.series as unknown as Series[]

  it('names a side by mark and word, never by colour alone', () => {
    expect(series[0]?.name).toBe('● Redis <7>')
  })

  it('leaves a level without a result empty instead of showing 0', () => {
    expect(series[0]?.data).toEqual([90, null])
    expect(series[2]?.data).toEqual([null, null])
  })

  it('keeps levels of one number of clients apart', () => {
    const points = [
      { ...input.sides[0]!.points[0]!, median: 90 },
      { ...input.sides[0]!.points[0]!, level: '1 client, pipeline 10', median: 900 },
    ]
    const levels = points.map((point) => ({ key: point.level, label: point.level }))
    const drawn = levelBarsOption({ ...input, sides: [{ ...input.sides[0]!, points }], levels }, testPalette)
    expect((drawn.series as unknown as Series[])[0]?.data).toEqual([90, 900])
    const { formatter } = drawn.tooltip as { formatter: (item: object) => string }
    expect(formatter({ dataIndex: 1, seriesIndex: 0 })).toContain('median 900 op/s')
  })

  it('begins at 0 and leaves room for the highest repeat', () => {
    const axis = option.yAxis as { min: number; max: number }
    expect(axis.min).toBe(0)
    expect(axis.max).toBeGreaterThanOrEqual(104)
  })

  it('tells median, interval and repeats, with names made harmless', () => {
    const { formatter } = option.tooltip as { formatter: (item: object) => string }
    const text = formatter({ dataIndex: 0, seriesIndex: 0 })
    expect(text).toContain('Redis &lt;7>')
    expect(text).toContain('80 op/s to 104 op/s')
    expect(text).toContain('3 repeats')
    expect(formatter({ dataIndex: 1, seriesIndex: 0 })).toBe('')
    const range = { ...input.sides[0]!.points[0]!, kind: 'range' as const }
    const few = levelBarsOption({ ...input, sides: [{ ...input.sides[0]!, points: [range] }] }, testPalette).tooltip
    expect((few as { formatter: (item: object) => string }).formatter({ dataIndex: 0, seriesIndex: 0 })).toContain(
      '<br>range 80 op/s',
    )
  })
})
