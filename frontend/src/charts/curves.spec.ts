import { describe, expect, it } from 'vitest'

import { curvesOption, labelsOf, PLOT, yPixels, type CurvesInput } from './curves'
import { init } from './echarts'
import { alongLine, nearest } from './placement'
import { logScale, stepScale } from './scales'
import { testPalette } from './testPalette'

const point = (x: number, y: number, label: string, ringed = false) => ({
  x,
  y,
  xRange: [x * 0.9, x * 1.1] as const,
  yRange: [y * 0.8, y * 1.3] as const,
  label,
  ringed,
  tip: [`${label} clients`, `${x} op/s <b>`],
})
const size = { width: 600, height: 360 }
const write = (value: number) => `${value}`
const input: CurvesInput = {
  sides: [
    {
      key: 'a',
      name: 'Redis',
      colour: '#D55E00',
      mark: '●',
      points: [point(30e3, 60, '1'), point(35e3, 1400, '8', true)],
    },
    {
      key: 'b',
      name: 'Redis, two <',
      colour: '#E09060',
      mark: '○',
      points: [point(31e3, 62, '1'), point(36e3, 1390, '8')],
    },
    { key: 'c', name: 'Memcached', colour: '#009E73', mark: '▲', points: [] },
  ],
  x: logScale([27e3, 40e3], write),
  y: logScale([48, 1820], write),
  xName: 'op/s',
  limit: 1000,
}

interface Series {
  type: string
  name: string
  data: number[][]
  renderItem?: (_: unknown, api: object) => { children: { type: string; style: Record<string, unknown> }[] }
}

function drawn(at: number, dataIndex: number) {
  const series = curvesOption(input, testPalette, size).series as unknown as Series[]
  const api = { value: () => dataIndex, coord: ([x, y]: number[]) => [x! * 10, y! * 10] }
  return series[at]!.renderItem!(null, api).children
}

describe('curvesOption', () => {
  it('is one series a side, so that pointing at one dims the others, and one for the limit', () => {
    const series = curvesOption(input, testPalette, size).series as unknown as Series[]
    expect(series.map((one) => one.name)).toEqual(['Redis', 'Redis, two <', 'Memcached', 'envelope'])
    expect(series[0]!.data[0]![0]).toBeCloseTo(Math.log10(30e3))
    const free = curvesOption({ ...input, limit: null }, testPalette, size).series as unknown as Series[]
    expect(free).toHaveLength(3)
  })

  it('draws the way to the next point, a cross, a mark, and a ring where something happens', () => {
    const first = drawn(0, 0).map((part) => part.type)
    expect(first.filter((type) => type === 'line').length).toBeGreaterThanOrEqual(3)
    expect(drawn(0, 1).filter((part) => part.type === 'circle')).toHaveLength(2)
  })

  it('draws a ring that comes later where a ring from the first would be', () => {
    const option = (ringed: boolean) => ({
      ...curvesOption(
        {
          ...input,
          sides: input.sides.map((side) => ({ ...side, points: side.points.map((one) => ({ ...one, ringed })) })),
        },
        testPalette,
        size,
      ),
      animation: false,
    })
    const shown = (...options: ReturnType<typeof option>[]) => {
      const chart = init(null, null, { renderer: 'svg', ssr: true, ...size })
      for (const one of options) chart.setOption(one)
      return chart
        .renderToSVGString()
        .match(/<(?:path|circle)[^>]*>/g)
        ?.map((shape) => shape.replace(/class="[^"]*"/, ''))
    }
    expect(shown(option(false), option(true))).toEqual(shown(option(true)))
  })

  it('draws a hollow mark for a further side of a system', () => {
    const fill = (at: number) => drawn(at, 0).find((part) => part.type === 'circle')?.style['fill']
    expect([fill(0), fill(1)]).toEqual(['#D55E00', testPalette.sheet])
  })

  it('names each side once, at one of its points', () => {
    for (const at of [0, 1]) {
      const names = [0, 1].flatMap((index) =>
        drawn(at, index).filter((part) => String(part.style['text']).includes(input.sides[at]!.name)),
      )
      expect(names).toHaveLength(1)
    }
  })

  it.each([300, 340, 500])('names a side nearer to its own line than to another, %i px wide', (width) => {
    const small = { width, height: 240 }
    const side = (key: string, name: string, mark: string, ys: readonly number[]) => ({
      ...input.sides[0]!,
      key,
      name,
      mark,
      points: ys.map((y, at) => point([1, 4][at]!, y, '')),
    })
    const sides = [
      side('a', 'Redis, appendfsync always', '●', [371, 1359]),
      side('b', 'Redis, appendfsync everysec', '○', [434, 1672]),
    ]
    const x = logScale([1, 4], write)
    const y = logScale([371, 1672], write)
    const pixels = (at: { x: number; y: number }) => ({
      x: PLOT.left + ((width - PLOT.left - PLOT.right) * (x.place(at.x) - x.min)) / (x.max - x.min),
      y: yPixels(y, small.height).of(at.y),
    })
    const lines = sides.map((one) => alongLine(one.points.map(pixels)))
    labelsOf({ ...input, sides, x, y }, small).forEach(({ name }, at) => {
      const box = { x: name!.x, y: name!.y, width: (sides[at]!.name.length + 1.5) * 6.9, height: 16 }
      expect(nearest(box, lines[at]!), sides[at]!.name).toBeLessThanOrEqual(nearest(box, lines[1 - at]!))
    })
  })

  it('keeps its plot where it is whatever the labels say, and makes names harmless', () => {
    const option = curvesOption(input, testPalette, size)
    expect(option.grid).toMatchObject({ left: PLOT.left, outerBoundsMode: 'none' })
    const { formatter } = option.tooltip as { formatter: (item: object) => string }
    expect(formatter({ seriesIndex: 1, dataIndex: 0 })).toBe(
      '<b>Redis, two &lt;</b>, 1 clients<br>31000 op/s &lt;b&gt;',
    )
    expect(formatter({ seriesIndex: 2, dataIndex: 0 })).toBe('')
  })
})

describe('labelsOf', () => {
  it('has no name where there is no point', () => {
    expect(labelsOf(input, size).map((one) => one.name !== null)).toEqual([true, true, false])
    expect(labelsOf({ ...input, x: stepScale(['a', 'b']) }, { width: 0, height: 360 })).toHaveLength(3)
  })
})

describe('yPixels', () => {
  it('goes there and back, upwards', () => {
    const { of, value } = yPixels(input.y, 360)
    expect(value(of(1000))).toBeCloseTo(1000)
    expect(of(1000)).toBeLessThan(of(100))
  })
})

describe('names of many lines', () => {
  const many: CurvesInput = {
    ...input,
    sides: ['Redis', 'Valkey', 'Memcached', 'Dragonfly', 'Garnet', 'KeyDB', 'Aerospike', 'a-long-name'].map(
      (name, at) => ({
        key: name,
        name,
        colour: '#D55E00',
        mark: '●',
        points: [point(30e3, 60 + at, '1'), point(35e3 + at, 1400 - at, '8')],
      }),
    ),
  }
  const names = (size: { width: number; height: number }) => labelsOf(many, size).map((one) => one.name!)

  it('stand in a column right of the plot, none on another', () => {
    const placed = names(size)
    const xs = new Set(placed.map((one) => one.x))
    expect(xs.size).toBe(1)
    const option = curvesOption(many, testPalette, size) as { grid: { right: number } }
    expect([...xs][0]).toBeGreaterThan(size.width - option.grid.right)
    const ys = placed.map((one) => one.y).sort((a, b) => a - b)
    for (const [at, y] of ys.slice(1).entries()) expect(y - ys[at]!).toBeGreaterThanOrEqual(15.9)
    expect(placed.every((one) => one.far)).toBe(true)
  })

  it('stay at their lines where there is no room for a column', () => {
    const narrow = { width: 340, height: 320 }
    expect(new Set(names(narrow).map((one) => one.x)).size).toBeGreaterThan(1)
    expect((curvesOption(many, testPalette, narrow) as { grid: { right: number } }).grid.right).toBe(PLOT.right)
  })
})
