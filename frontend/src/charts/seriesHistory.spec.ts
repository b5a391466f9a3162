import { describe, expect, it } from 'vitest'

import { strokeOfChange } from './historyMarks'
import { changeInWords, historyOption, placesOf, type HistoryChange, type HistoryInput } from './seriesHistory'
import { slotLabels, slotsOf } from './slots'
import { testPalette } from './testPalette'

const point = { at: '2026-11-21T01:30:00Z', label: '#4', value: 90, low: 80, high: 104, repeats: [90], segment: 0 }
const later = {
  ...point,
  at: '2026-11-22T01:30:00Z',
  label: '#5',
  value: 95,
  origin: 'abcdef1234 on <img src=x onerror=alert(1)>',
}
const line = (...points: (typeof point)[]) => ({ name: 'median', colour: '#D55E00', points })
const input: HistoryInput = {
  lines: [line(point, later)],
  changes: [],
  segments: [],
  format: { name: 'op/s', write: (value) => `${value} op/s` },
  along: 'campaign',
}
const change: HistoryChange = {
  at: later.at,
  kind: 'step',
  before: 90,
  after: 80,
  relative: -0.05,
  confirmed: true,
  better: false,
  state: '',
  open: true,
}

interface Drawn {
  type: string
  name: string
  data: (number | null)[][]
  silent?: boolean
  markLine: { data: unknown[] }
  markArea: { data: { name?: string; xAxis: number }[][] }
}
const drawn = (given: HistoryInput): Drawn[] => historyOption(given, testPalette).series as unknown as Drawn[]
const lines = (given: HistoryInput): Drawn[] => drawn(given).filter((one) => one.type === 'line')

function told(given: HistoryInput, series: string, index: number): string {
  const { formatter } = historyOption(given, testPalette).tooltip as unknown as { formatter: (item: object) => string }
  return formatter({ data: drawn(given).find((one) => one.name === series && one.type !== 'custom')?.data[index] })
}

describe('historyOption', () => {
  it('tells what a point was measured for, made harmless', () => {
    expect(told(input, 'median', 1)).toContain('abcdef1234 on &lt;img src=x')
    expect(told(input, 'median', 1)).not.toContain('<img')
    expect(told(input, 'median', 0)).toMatch(/90 op\/s$/)
  })

  it('calls a range a range: below four repeats there is no interval', () => {
    const few = { ...input, lines: [line({ ...point, repeats: [80, 104] })] }
    expect(told(few, 'median', 0)).toContain('range of 2 repeats 80 op/s to 104 op/s')
    expect(told({ ...input, lines: [line({ ...point, repeats: [90] })] }, 'median', 0)).toMatch(/90 op\/s$/)
    const enough = { ...input, lines: [line({ ...point, repeats: [1, 2, 3, 4] })] }
    expect(told(enough, 'median', 0)).toContain('95 % interval 80 op/s')
  })

  it('joins the points of a segment that was left and came back, and shades the stretches', () => {
    const points = [0, 1, 0].map((segment, place) => ({ ...point, at: `2026-11-2${place}T01:30:00Z`, segment }))
    const segments = [
      { index: 0, label: 'one machine' },
      { index: 1, label: 'another' },
    ]
    const found = lines({ ...input, lines: [line(...points)], segments })
    expect(found.map((one) => one.data.map(([x]) => x))).toEqual([[0, 2], [1]])
    expect(found[0]?.markArea.data.map((ends) => ends.map((end) => [end.name, end.xAxis]))).toEqual([
      [
        ['one machine', -0.5],
        [undefined, 0.5],
      ],
      [
        ['another', 0.5],
        [undefined, 1.5],
      ],
      [
        ['', 1.5],
        [undefined, 2.5],
      ],
    ])
  })

  it('breaks the line at a gap, and tells the reason there', () => {
    const gap = { at: '2026-11-21T12:00:00Z', label: '', reason: 'missed: the platform was not up' }
    const given = { ...input, gaps: [gap] }
    expect(lines(given)[0]?.data.map(([x, y]) => [x, y])).toEqual([
      [0, 90],
      [1, null],
      [2, 95],
    ])
    expect(told(given, 'gaps', 0)).toContain('missed: the platform was not up')
    expect(drawn(given).find((one) => one.name === 'gaps')).toMatchObject({ label: { formatter: '×', opacity: 1 } })
    // Near the axis on a scale of its own: among the values it would read as one.
    const [mark] = drawn(given).find((one) => one.name === 'gaps')?.data as number[][]
    expect(drawn(given).find((one) => one.name === 'gaps')).toMatchObject({ yAxisIndex: 1 })
    expect(mark?.[1]).toBeLessThan(0.1)
  })

  it('shows notes at their points, made harmless', () => {
    const given = { ...input, notes: [{ at: later.at, text: 'new <b>disk</b>' }] }
    expect(told(given, 'notes', 0)).toBe('new &lt;b&gt;disk&lt;/b&gt;')
    expect(
      drawn(given)
        .find((one) => one.name === 'notes')
        ?.data[0]?.slice(0, 2),
    ).toEqual([1, 104])
  })

  it('draws several series on one axis, by logarithm when they are far apart', () => {
    const far = { ...line({ ...point, value: 90_000 }), name: 'another' }
    const option = historyOption({ ...input, lines: [...input.lines, far] }, testPalette)
    expect(option.yAxis).toMatchObject([{ type: 'log' }, {}])
    expect(historyOption(input, testPalette).yAxis).toMatchObject([{ type: 'value' }, {}])
    expect((option.legend as { data: string[] }).data).toEqual(['median', 'another', 'repeats'])
  })

  it('opens at the zoom it is given', () => {
    expect(historyOption({ ...input, zoom: [10, 30] }, testPalette).dataZoom).toMatchObject([{ start: 10, end: 30 }])
  })
})

describe('axes', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({
    ...point,
    at: `2026-11-${String(at + 1).padStart(2, '0')}T00:00:00Z`,
    label: `#${at}`,
    version: at < 20 ? '7.0' : '7.2',
  }))

  it('label campaigns where their points are, and have a name', () => {
    const { xAxis } = historyOption({ ...input, lines: [line(...many)] }, testPalette) as {
      xAxis: { name: string; axisLabel: { customValues: number[]; formatter: (at: number) => string } }
    }
    expect(xAxis.name).toBe('campaign')
    expect(xAxis.axisLabel.customValues).toEqual([0, 5, 10, 15, 20, 25])
    expect(xAxis.axisLabel.formatter(25)).toBe('#25')
  })

  it('label versions where they begin', () => {
    const { slots } = placesOf({ lines: [line(...many)], along: 'version' })
    expect([...slotLabels(slots, 'version')]).toEqual([
      [0, '7.0'],
      [20, '7.2'],
    ])
  })

  it('have one place for what happened at once', () => {
    const slot = { at: point.at, campaign: '', version: null, commit: null }
    expect(slotsOf([slot, { ...slot, campaign: '#4', commit: 'abcdef1234' }])).toEqual([
      { ...slot, campaign: '#4', commit: 'abcdef1234' },
    ])
    expect([...slotLabels([{ ...slot, commit: 'abcdef1234' }, slot], 'commit').values()]).toEqual(['abcdef1', '–'])
  })
})

describe('changes', () => {
  it('are named by kind, size and state', () => {
    expect(changeInWords(change)).toBe('−5.0\u2009%')
    expect(changeInWords({ ...change, kind: 'drift', state: 'expected' })).toBe('drift −5.0\u2009%, expected')
    expect(changeInWords({ ...change, kind: 'moved' })).toBe('−5.0\u2009% with the machine')
    const noise: HistoryChange = { ...change, kind: 'spread', before: 0.01, after: 0.03, relative: 2 }
    expect(changeInWords(noise)).toBe('noise ±1.0\u2009% → ±3.0\u2009%')
    expect(changeInWords({ ...change, confirmed: false })).toBe('−5.0\u2009%, not confirmed')
  })

  it('are red only where they are for the worse and ask for somebody', () => {
    const colour = (some: Partial<HistoryChange>) => strokeOfChange({ ...change, ...some }, testPalette).color
    expect(colour({})).toBe(testPalette.bad)
    expect(colour({ better: true })).toBe(testPalette.good)
    expect(colour({ open: false })).toBe(testPalette.ink3)
    expect(colour({ confirmed: false })).toBe(testPalette.caution)
  })

  it('draw a step where it is, and a drift from where it began to where it ended', () => {
    const drift: HistoryChange = { ...change, kind: 'drift', at: point.at, until: later.at }
    const [first] = lines({ ...input, changes: [change, drift] })
    expect(first?.markLine.data[0]).toMatchObject({ xAxis: 0.5 })
    expect(first?.markLine.data[1]).toMatchObject([{ coord: [0, 90] }, { coord: [1, 80] }])
  })
})

describe('noise bands', () => {
  it('lie behind the points of their campaigns, and are named once', () => {
    const bands = [{ starts_at: point.at, ends_at: later.at, low: 88, high: 93 }]
    const [band] = drawn({ ...input, bands })
    expect(band).toMatchObject({ type: 'custom', silent: true })
    expect(band?.data).toEqual([
      [-0.4, 88, 93],
      [1.4, 88, 93],
    ])
  })
})
