import { describe, expect, it } from 'vitest'

import { formatBytes, formatLatency, formatThroughput } from '@/ui'

import { init } from './echarts'
import type { HistoryInput } from './history'
import { historyOption } from './seriesHistory'
import { testPalette } from './testPalette'

const point = { at: '2026-11-21T01:30:00Z', label: '№ 4', value: 90, low: 80, high: 104, repeats: [90], segment: 0 }
const line = (...points: (typeof point)[]) => ({ name: 'median', colour: '#D55E00', points })
const input: HistoryInput = {
  lines: [],
  changes: [],
  segments: [],
  format: { name: 'op/s', write: (value) => `${value} op/s` },
  along: 'campaign',
}

describe('the axis of figures that hardly differ', () => {
  it.each([
    [1064.2, formatBytes],
    [100.4, formatLatency],
    [999.6, formatThroughput],
    [23_640, formatThroughput],
    [1.5e6, formatThroughput],
    [3.7, formatLatency],
    [5_000_000, formatBytes],
  ] as const)('writes no two steps alike: %d', (value, format) => {
    const written = (at: number) => Object.values(format(at)).join(' ')
    const near = [0, 1, 2].map((at) => ({ ...point, value: value + at / 100, low: value, high: value, repeats: [] }))
    const chart = init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 360 })
    const drawn = { ...input, lines: [line(...near)], format: { name: '', write: written } }
    chart.setOption(historyOption(drawn, testPalette))
    const unit = written(value).split(' ').at(-1) ?? ''
    const texts = [...chart.renderToSVGString().matchAll(/<text[^>]*>([^<]*)</g)].map((found) => found[1] ?? '')
    const steps = texts.filter((text) => text.endsWith(unit))
    expect(steps.length).toBeGreaterThan(2)
    expect(new Set(steps).size).toBe(steps.length)
  })
})

describe('the bottom of a narrow history', () => {
  it.each([300, 340, 480])('has no two names over each other at %d px', (width) => {
    const many = Array.from({ length: 90 }, (_, at) => ({
      ...point,
      at: new Date(Date.UTC(2026, 6, at + 1)).toISOString(),
      label: `№ ${at + 1131}`,
    }))
    const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: 260 })
    chart.setOption(historyOption({ ...input, lines: [line(...many)] }, testPalette))
    const names = [...chart.renderToSVGString().matchAll(/<text[^>]*translate\(([\d.]+) [\d.]+\)[^>]*>(№ \d+)</g)]
    const middles = names.map(([, x]) => Number(x)).sort((a, b) => a - b)
    expect(middles.length).toBeGreaterThan(1)
    for (const [at, x] of middles.slice(1).entries()) expect(x - (middles[at] ?? 0)).toBeGreaterThan(35)
  })
})
