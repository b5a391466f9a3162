import { describe, expect, it } from 'vitest'

import { lchOf } from '@/theme'
import { heatCells, heatLabels, heatOption, heatRamp, heatStep, type HeatInput } from './heat'
import { testPalette } from './testPalette'

const input: HeatInput = {
  t: [0, 1, 60],
  until: [1, 2, 120],
  buckets_us: [100, 119, 141],
  counts: [
    [10, 0, 5],
    [0, 0, 0],
    [0, 600, 0],
  ],
  write: (us) => `${us} µs`,
}

describe('heatCells', () => {
  it('are as wide as their interval, and count by the second', () => {
    expect(heatCells(input)).toEqual([
      { from: 0, to: 1, row: 0, perSecond: 10 },
      { from: 0, to: 1, row: 2, perSecond: 5 },
      { from: 60, to: 120, row: 1, perSecond: 10 },
    ])
  })

  it('leave out intervals without length', () => {
    expect(heatCells({ ...input, until: [0, 2, 60] })).toEqual([])
  })
})

describe('heatStep', () => {
  it('is even in the logarithm and stays on the ramp', () => {
    expect([1, 10, 100, 1000, 5000].map((rate) => heatStep(rate, 1, 1000))).toEqual([0, 3, 6, 8, 8])
    expect(heatStep(3, 3, 3)).toBe(8)
  })
})

describe('heatLabels', () => {
  it('stand at round latencies, between the bottom and the top of their row', () => {
    const buckets_us = [27.6, 39, 55.2, 78, 110.4, 156.1, 220.8, 312.3, 441.6]
    const labels = heatLabels({ buckets_us, write: (us) => `${Number(us.toPrecision(6))} µs` })
    expect([...labels.values()]).toEqual(['100 µs', '200 µs'])
    const [hundred] = labels.keys()
    expect(hundred).toBeCloseTo(3 + Math.log(100 / 78) / Math.log(110.4 / 78), 6)
  })

  it('are none where there is nothing', () => {
    expect(heatLabels({ buckets_us: [], write: String }).size).toBe(0)
  })
})

describe('heatRamp', () => {
  it('goes away from the ground in both themes', () => {
    const light = heatRamp(testPalette).map((hex) => lchOf(hex).lightness)
    expect(light).toEqual([...light].sort((a, b) => b - a))
    const dark = heatRamp({ ...testPalette, sheet: '#171d1b' }).map((hex) => lchOf(hex).lightness)
    expect(dark).toEqual([...dark].sort((a, b) => a - b))
  })
})

describe('heatOption', () => {
  const option = heatOption(input, testPalette) as unknown as {
    tooltip: { formatter: (item: object) => string }
    visualMap: { show?: boolean; text: string[] }
    xAxis: { max: number; axisLabel: { showMaxLabel: boolean; formatter: (value: number) => string } }
    series: { data: unknown[] }[]
  }

  it('has a key that names its ends', () => {
    expect(option.visualMap.show).not.toBe(false)
    expect(option.visualMap.text).toEqual(['10 op/s', '1'])
  })

  it('tells a column in words, and that one is empty', () => {
    expect(option.tooltip.formatter({ dataIndex: 2 })).toContain('60 s to 120 s<br><b>10 op/s</b>, 600 in all')
    expect(option.tooltip.formatter({ dataIndex: 1 })).toContain('nothing succeeded')
  })

  it('has no figure on the axis of time that was not rounded', () => {
    expect(option.xAxis.axisLabel.showMaxLabel).toBe(false)
    expect(option.xAxis.axisLabel.formatter(1.23456)).toBe('1.23')
  })

  it('spans the whole run on a true axis', () => {
    expect(option.xAxis.max).toBe(120)
    expect(option.series[1]?.data).toEqual([
      [0, 1],
      [1, 2],
      [60, 120],
    ])
  })
})
