import { describe, expect, it } from 'vitest'

import { init } from './echarts'
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

  it('tells of lines that share no instants what each was nearest to the cursor, and nothing far away', () => {
    const lines = [
      line,
      { ...line, name: 'later', times: [0.4, 1.4, 2.4], values: [7, 8, 9] },
      { ...line, name: 'over', times: [10, 11, 12], values: [1, 1, 1] },
    ]
    const items = [{ seriesIndex: 0, dataIndex: 2, marker: '' }]
    const told = (together: boolean) => {
      const { tooltip } = timeLinesOption({ lines, format, together }, testPalette) as unknown as {
        tooltip: { formatter: (items: unknown) => string }
      }
      return tooltip.formatter(items).replaceAll(/<[^>]*>/g, ' ')
    }
    expect(told(false)).not.toContain('later')
    expect(told(true)).toMatch(/read\s+0 op\/s/)
    expect(told(true)).toMatch(/later\s+9 op\/s/)
    expect(told(true)).not.toContain('over')
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

  it('names phases and stretches above the plot, where no line crosses them out', () => {
    const input = {
      lines: [{ ...line, values: [100, 100, 100] }],
      format,
      phases: [
        { kind: 'load', start_seconds: 0, end_seconds: 0.05 },
        { kind: 'warmup', start_seconds: 0.05, end_seconds: 0.1 },
        { kind: 'measure', start_seconds: 0.1, end_seconds: 2 },
        { kind: 'cooldown', start_seconds: 2, end_seconds: 3 },
      ],
      stretches: [{ label: 'before', start_seconds: 0.5, end_seconds: 1 }],
    }
    for (const logarithmic of [false, true]) {
      const chart = init(null, null, { renderer: 'svg', ssr: true, width: 600, height: 300 })
      const option = timeLinesOption({ ...input, logarithmic }, testPalette)
      chart.setOption(option)
      const drawn = document.createElement('div')
      drawn.innerHTML = chart.renderToSVGString()
      const { top } = option.grid as { top: number }
      for (const name of ['load, warmup', 'cooldown', 'before']) {
        const text = [...drawn.querySelectorAll('text')].find((one) => one.textContent === name)
        const [, , down] = /translate\(([\d.]+) ([\d.]+)\)/.exec(text?.getAttribute('transform') ?? '') ?? []
        const at = Number(down) + Number(text?.getAttribute('y') ?? 0)
        expect(at, name).toBeGreaterThan(18)
        expect(at, name).toBeLessThan(top - 2)
      }
    }
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

  it('shows the extremes of what was merged as a band that breaks where there are none', () => {
    const merged = {
      ...line,
      times: [0, 10, 20, 30, 100, 110],
      until: [10, 20, 30, 40, 110, 120],
      values: [5, 6, 7, 6, 5, 5],
      low: [1, 2, null, 2, 3, 3],
      high: [9, 9, null, 9, 9, 9],
    }
    const all = series(timeLinesOption({ lines: [merged], format }, testPalette)) as unknown as {
      type: string
      data: number[][]
    }[]
    expect(all.map((one) => one.type)).toEqual(['line', 'custom', 'custom'])
    expect(all[1]?.data).toEqual([
      [5, 1, 9],
      [15, 2, 9],
    ])
    // Nothing was measured from 40 to 100: the line is broken there.
    expect(all[0]?.data.map(([x]) => x)).toEqual([5, 15, 25, 35, 40, 105, 115])
    expect(all[0]?.data[4]?.[1]).toBeNull()
    expect(all[2]?.data).toEqual([
      [105, 3, 9],
      [115, 3, 9],
    ])
  })

  it('tells a long run in hours, and its cursor with the units and the extremes', () => {
    const long = {
      ...line,
      times: [0, 21_600],
      until: [60, 21_660],
      values: [5, 7],
      low: [1, 2],
      high: [9, 8],
    }
    const phases = [{ kind: 'measure', start_seconds: 0, end_seconds: 43_200 }]
    const option = timeLinesOption({ lines: [long], format, phases }, testPalette)
    expect(option.xAxis).toMatchObject({ name: 'hours', max: 12 })
    const { formatter } = option.tooltip as unknown as { formatter: (items: object[]) => string }
    // The broken place between both points is one of the drawn ones.
    expect(formatter([{ seriesIndex: 0, dataIndex: 2, marker: '' }])).toBe(
      '6:00:00 h to 6:01:00 h<br>read <b>7 op/s</b> (2 op/s to 8 op/s)',
    )
    expect(formatter([{ seriesIndex: 0, dataIndex: 1, marker: '' }])).toBe('')
  })

  it('gives short phases of a long run one name between them', () => {
    const phases = [
      { kind: 'load', start_seconds: 0, end_seconds: 2 },
      { kind: 'warmup', start_seconds: 2, end_seconds: 4 },
      { kind: 'measure', start_seconds: 4, end_seconds: 3600 },
    ]
    const [first] = series(timeLinesOption({ lines: [line], format, phases }, testPalette))
    expect(first?.markArea?.data.map((ends) => ends.map((end) => [end.name, end.xAxis * 60]))).toEqual([
      [
        ['load, warmup', 0],
        [undefined, 4],
      ],
    ])
  })
})
