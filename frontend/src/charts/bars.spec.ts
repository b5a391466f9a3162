import { describe, expect, it } from 'vitest'

import { barsOption, type BarSide } from './bars'
import { linearScale } from './scales'
import { testPalette } from './testPalette'

const side = (key: string, values: (number | null)[], mark = '●'): BarSide => ({
  key,
  name: key,
  colour: '#D55E00',
  mark,
  bars: values.map((value) =>
    value === null ? null : { value, range: [value - 1, value + 1], tip: ['then', `${value}`] },
  ),
})
const input = {
  groups: ['before', 'after'],
  sides: [side('a', [4, 8]), side('b <', [null, 6], '○')],
  y: linearScale([9], String),
}
interface Part {
  type: string
  shape: { x: number; y: number; width: number; height: number }
  style: { fill: string; text?: string }
}
interface Drawn {
  series: {
    id: string
    data: number[][]
    renderItem: (p: unknown, api: unknown) => { children: Part[] } | null
  }[]
  tooltip: { formatter: (one: unknown) => string }
  xAxis: { data: string[] }
}
const drawn = barsOption(input, testPalette, { width: 600, height: 300 }) as unknown as Drawn
const api = (group: number) => ({
  value: () => group,
  size: () => [200, 0],
  coord: ([x, y]: [number, number]) => [100 + 200 * x, 100 - 10 * y],
})

describe('bars of sides beside each other', () => {
  it('stand in their group from the floor up, side by side, with what repeats span and the mark', () => {
    const [a, b] = drawn.series.map((one) => one.renderItem({}, api(1))!.children)
    const [bar, whisker, mark] = a!
    expect([bar?.shape.y, bar?.shape.height]).toEqual([20, 80])
    expect(whisker).toMatchObject({ shape: { y1: 30, y2: 10 } })
    expect(mark?.style.text).toBe('●')
    expect(b?.[0]?.shape.x).toBeGreaterThanOrEqual(bar!.shape.x + bar!.shape.width)
    expect([bar?.style.fill, b?.[0]?.style.fill]).toEqual(['#D55E00', testPalette.sheet])
  })

  it('leave a gap where nothing was measured', () => {
    expect(drawn.series[1]?.data).toEqual([[1, 6]])
    expect(drawn.series[1]?.renderItem({}, api(0))).toBeNull()
  })

  it('tell a bar in words that cannot be markup', () => {
    expect(drawn.tooltip.formatter({ seriesIndex: 1, data: [1, 6] })).toBe('<b>b &lt;</b>, then<br>6')
  })
})
