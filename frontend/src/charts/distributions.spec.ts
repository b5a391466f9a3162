import { describe, expect, it } from 'vitest'

import { bandOf, distributionsOption, type BandedLine } from './distributions'
import { testPalette } from './testPalette'

const line: BandedLine = {
  key: 'a',
  name: 'Redis <1>',
  colour: '#D55E00',
  points: [
    { quantile: 0.5, value: 100, low: 90, high: 110 },
    { quantile: 0.99, value: 400, low: 0, high: 900 },
    { quantile: 0.999, value: 900, low: null, high: null },
  ],
}
const input = { lines: [line], format: { name: '', write: String }, logarithmic: true }

interface Drawn {
  type: string
  name: string
  data: number[][]
  markLine?: { data: { yAxis: number }[] }
}
const seriesOf = (option: { series?: unknown }) => option.series as Drawn[]

describe('bandOf', () => {
  it('has what has a band, and leaves out what a log axis cannot show', () => {
    expect(bandOf(line, true)).toEqual([[expect.closeTo(0.301, 3), 90, 110]])
    expect(bandOf(line, false)).toHaveLength(2)
  })
})

describe('distributionsOption', () => {
  it('draws a line for each side over its band, along the number of nines', () => {
    const [band, drawn] = seriesOf(distributionsOption(input, testPalette))
    expect(band?.type).toBe('custom')
    expect(drawn?.data.map((point) => point[0])).toEqual([
      expect.closeTo(0.301, 3),
      expect.closeTo(2, 6),
      expect.closeTo(3, 6),
    ])
    expect(drawn?.markLine).toBeUndefined()
  })

  it('marks 0 where values lie around it', () => {
    const [, drawn] = seriesOf(distributionsOption({ ...input, logarithmic: false }, testPalette))
    expect(drawn?.markLine?.data[0]?.yAxis).toBe(0)
  })

  it('tells a percentile with its band, and names as plain text', () => {
    const { tooltip } = distributionsOption(input, testPalette) as {
      tooltip: { formatter: (items: unknown) => string }
    }
    const items = [
      { seriesType: 'custom', seriesName: line.name, data: [2, 0, 900] },
      { seriesType: 'line', seriesName: line.name, data: [0.30103, 100, 0] },
    ]
    expect(tooltip.formatter(items)).toBe('p50<br>Redis &lt;1&gt;: <b>100</b>, 90 to 110')
  })
})
