import { describe, expect, it } from 'vitest'

import { testPalette } from './testPalette'
import { timeLinesOption } from './timeLines'

const format = { name: 'op/s', write: (value: number) => `${value} op/s` }
const line = { name: 'read', colour: '#123456', times: [0, 1, 2], values: [5, null, 0] }

interface Series {
  data: [number, number | null][]
  markArea?: { data: { name?: string; xAxis: number }[][] }
  markLine?: {
    label: { show: boolean }
    data: { name: string; xAxis: number; lineStyle: { color: string; type: string } }[]
  }
}

function series(option: ReturnType<typeof timeLinesOption>): Series[] {
  return option.series as unknown as Series[]
}

describe('timeLinesOption', () => {
  it('keeps gaps as gaps instead of joining or zeroing them', () => {
    const [first] = series(timeLinesOption({ lines: [line], format }, testPalette))
    expect(first?.data).toEqual([
      [0, 5],
      [1, null],
      [2, 0],
    ])
  })

  it('leaves out what a logarithmic axis cannot show', () => {
    const [first] = series(timeLinesOption({ lines: [line], format, logarithmic: true }, testPalette))
    expect(first?.data[2]).toEqual([2, null])
  })

  it('shades what is cut from the figures, and not the measured phase', () => {
    const phases = [
      { kind: 'load', start_seconds: 0, end_seconds: 1 },
      { kind: 'measure', start_seconds: 1, end_seconds: 3 },
    ]
    const [first] = series(timeLinesOption({ lines: [line], format, phases }, testPalette))
    expect(first?.markArea?.data.map(([start]) => start?.name)).toEqual(['load'])
  })

  it('tells faults, failures and events apart by colour and by dash', () => {
    const moments = (['fault', 'failed', 'event'] as const).map((tone, at) => ({ at_seconds: at, label: tone, tone }))
    const [first] = series(timeLinesOption({ lines: [line], format, moments }, testPalette))
    const strokes = first?.markLine?.data.map((one) => one.lineStyle) ?? []
    expect(new Set(strokes.map((one) => one.color)).size).toBe(3)
    expect(new Set(strokes.map((one) => one.type)).size).toBe(3)
  })

  it('shades what lasted, and names marks only where asked', () => {
    const moments = [{ at_seconds: 1, until_seconds: 2, label: 'start node 1', tone: 'fault' as const }]
    const [first] = series(timeLinesOption({ lines: [line], format, moments, named: false }, testPalette))
    expect(first?.markArea?.data.map((span) => span.map((end) => end.xAxis))).toEqual([[1, 2]])
    expect(first?.markLine?.label.show).toBe(false)
  })

  it('shades stretches in turn and draws the level of those that have one', () => {
    const stretches = [
      { start_seconds: 0, end_seconds: 1, label: '1', level: 5 },
      { start_seconds: 1, end_seconds: 2, label: '2' },
    ]
    const [first] = series(timeLinesOption({ lines: [line], format, stretches }, testPalette))
    expect(first?.markArea?.data.map(([start]) => start?.name)).toEqual(['1', '2'])
    const levels = first?.markLine?.data as unknown as { coord: number[] }[][]
    expect(levels.map((ends) => ends.map((end) => end.coord))).toEqual([
      [
        [0, 5],
        [1, 5],
      ],
    ])
  })

  it('lets a load phase out of the scale that would flatten what was measured, and says so', () => {
    const phases = [
      { kind: 'load', start_seconds: 0, end_seconds: 1 },
      { kind: 'measure', start_seconds: 1.5, end_seconds: 3 },
    ]
    const fast = { ...line, times: [0.5, 2, 3], values: [1000, 40, 50] }
    const option = timeLinesOption({ lines: [fast], format, phases }, testPalette)
    expect((option.yAxis as { max: number }).max).toBeLessThan(100)
    expect(series(option)[0]?.markArea?.data[0]?.[0]?.name).toBe('load ↑')
    const even = timeLinesOption({ lines: [{ ...fast, values: [60, 40, 50] }], format, phases }, testPalette)
    expect((even.yAxis as { max: number }).max).toBeGreaterThanOrEqual(60)
  })
})
