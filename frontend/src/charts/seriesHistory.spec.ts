import { describe, expect, it } from 'vitest'

import { changeInWords, type HistoryChange, type HistoryInput } from './history'
import { strokeOfChange } from './historyMarks'
import { historyOption, placesOf } from './seriesHistory'
import { slotLabels, slotsOf } from './slots'
import { testPalette } from './testPalette'

const point = { at: '2026-11-21T01:30:00Z', label: '№ 4', value: 90, low: 80, high: 104, repeats: [90], segment: 0 }
const later = {
  ...point,
  at: '2026-11-22T01:30:00Z',
  label: '№ 5',
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

/** The places of points that a line joins, one list a piece. */
function joinedIn(one: Drawn | undefined): number[][] {
  const pieces: number[][] = [[]]
  for (const [x, y] of one?.data ?? []) {
    if (y === null) pieces.push([])
    else pieces.at(-1)?.push(x ?? NaN)
  }
  return pieces
}

/** Days of a history, a point each. */
const days = (count: number, more: (day: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, day) => ({ ...point, at: dayAt(day), value: 100 - day, ...more(day) }))
const dayAt = (day: number): string => `2026-11-${String(day + 1).padStart(2, '0')}T01:30:00Z`

function told(given: HistoryInput, series: string, index: number): string {
  const { formatter } = historyOption(given, testPalette).tooltip as unknown as { formatter: (item: object) => string }
  return formatter({ data: drawn(given).find((one) => one.name === series && one.type !== 'custom')?.data[index] })
}

describe('historyOption', () => {
  it('draws what others published as a hollow level across, in no course, band or mark', () => {
    const theirs = {
      name: '◌ Redis, published: A paper',
      colour: '#D55E00',
      value: 2000,
      tip: ['2 k <ops>', 'A paper'],
    }
    const given = { ...input, published: [theirs] }
    const [level, ours] = lines(given) as unknown as { name: string; symbol: string; data: number[][] }[]
    expect(level).toMatchObject({ name: theirs.name, symbol: 'emptyCircle', lineStyle: { type: 'dotted' } })
    expect(level!.data.map(([x, y]) => [x, y])).toEqual([
      [-0.5, 2000],
      [1.5, 2000],
    ])
    expect(ours!.data).toEqual(
      (lines(input)[0] as unknown as { data: number[][] }).data.map(([x, y], at) => [x, y, at + 1]),
    )
    const { formatter } = historyOption(given, testPalette).tooltip as unknown as {
      formatter: (item: object) => string
    }
    expect(formatter({ data: level!.data[0] })).toBe('2 k &lt;ops&gt;<br>A paper')
  })

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

  it('joins nothing across another machine, not even what comes back to the first, and shades the stretches', () => {
    const points = [0, 1, 0, 0].map((segment, place) => ({ ...point, at: `2026-11-2${place}T01:30:00Z`, segment }))
    const segments = [
      { index: 0, label: 'one machine' },
      { index: 1, label: 'another' },
    ]
    const found = lines({ ...input, lines: [line(...points)], segments })
    expect(joinedIn(found[0])).toEqual([[0], [1], [2, 3]])
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
        [undefined, 3.5],
      ],
    ])
  })

  it('breaks the line at a gap, and tells the reason there', () => {
    const gap = { at: '2026-11-21T12:00:00Z', label: '', reason: 'missed: the platform was not up' }
    const given = { ...input, gaps: [gap] }
    expect(joinedIn(lines(given)[0])).toEqual([[0], [2]])
    expect(told(given, 'gaps', 0)).toContain('missed: the platform was not up')
    expect(drawn(given).find((one) => one.name === 'gaps')).toMatchObject({ label: { formatter: '×', opacity: 1 } })
    // Near the axis on a scale of its own: among the values it would read as one.
    const [mark] = drawn(given).find((one) => one.name === 'gaps')?.data as number[][]
    expect(drawn(given).find((one) => one.name === 'gaps')).toMatchObject({ yAxisIndex: 1 })
    expect(mark?.[1]).toBeLessThan(0.1)
  })

  it('goes on where something of a machine changed, and says what, in words while they are few', () => {
    const marked = (count: number): HistoryInput => {
      const words = ['kernel 6.1.90 → 6.1.92<b>']
      return { ...input, lines: [line(...days(8, (day) => (day > 7 - count ? { altered: words } : {})))] }
    }
    const few = marked(2)
    expect(joinedIn(lines(few)[0])).toHaveLength(1)
    expect(lines(few)[0]?.markLine.data).toMatchObject([{ xAxis: 5.5, lineStyle: { type: 'dotted' } }, { xAxis: 6.5 }])
    expect(told(few, 'machine', 0)).toContain('kernel 6.1.90 → 6.1.92&lt;b&gt;')
    expect(told(few, 'median', 6)).toContain('kernel 6.1.90 → 6.1.92&lt;b&gt;')
    const signs = (given: HistoryInput) => drawn(given).find((one) => one.name === 'machine')?.data
    expect(signs(few)?.[0]).toMatchObject({ label: { formatter: 'kernel 6.1.90 → 6.1.92<b> ◆', align: 'right' } })
    expect(signs(marked(4))?.map((one) => (one as unknown as { label: object }).label)).toMatchObject(
      Array.from({ length: 4 }, () => ({ formatter: '◆' })),
    )
  })

  it('draws what stands apart beside the line, which neither joins it nor bends to it', () => {
    const points = days(5, (day) => (day === 2 ? { apart: true, segment: 1, repeats: [1, 2] } : {}))
    const segments = [0, 1].map((index) => ({ index, label: `${index}` }))
    const given = { ...input, lines: [line(...points)], segments }
    expect(joinedIn(lines(given)[0])).toEqual([[0, 1, 3, 4]])
    expect(lines(given)[0]?.markArea.data).toHaveLength(1)
    const apart = drawn(given).find((one) => one.name === 'pull requests, branches')
    expect(apart?.data.map((one) => one.slice(0, 2))).toEqual([[2, 98]])
    expect(drawn(given).find((one) => one.name === 'repeats')?.data).toHaveLength(4)
    expect(told(given, 'pull requests, branches', 0)).toContain('apart from the main line')
    const legend = (of: HistoryInput) => (historyOption(of, testPalette).legend as unknown as { data: string[] }).data
    expect(legend(given)).toContain('pull requests, branches')
    expect(legend(input)).not.toContain('pull requests, branches')
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
    label: `№ ${at}`,
    version: at < 20 ? '7.0' : '7.2',
  }))

  it('label campaigns where their points are, and have a name', () => {
    const { xAxis } = historyOption({ ...input, lines: [line(...many)] }, testPalette) as {
      xAxis: { name: string; axisLabel: { customValues: number[]; formatter: (at: number) => string } }
    }
    expect(xAxis.name).toBe('campaign')
    expect(xAxis.axisLabel.customValues).toEqual([0, 5, 10, 15, 20, 25])
    expect(xAxis.axisLabel.formatter(25)).toBe('№ 25')
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
    expect(slotsOf([slot, { ...slot, campaign: '№ 4', commit: 'abcdef1234' }])).toEqual([
      { ...slot, campaign: '№ 4', commit: 'abcdef1234' },
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
    const drift: HistoryChange = { ...change, kind: 'drift', at: dayAt(0), until: dayAt(3), before: 100, after: 90 }
    const given = { ...input, lines: [line(...days(5))], changes: [{ ...change, at: dayAt(4) }, drift] }
    const [first] = lines(given)
    expect(first?.markLine.data[0]).toMatchObject({ xAxis: 3.5 })
    expect(first?.markLine.data[1]).toMatchObject([{ coord: [0, closeTo(100)] }, { coord: [3, closeTo(90)] }])
  })
})

const closeTo = (value: number): number => expect.closeTo(value, 6) as number
const PARTED: Record<string, (given: HistoryInput) => HistoryInput> = {
  'a step': (given) => ({ ...given, changes: [...given.changes, { ...change, at: dayAt(3), before: 97, after: 80 }] }),
  'a step that is not confirmed': (given) => ({
    ...given,
    changes: [...given.changes, { ...change, at: dayAt(3), confirmed: false }],
  }),
  'a change of noise': (given) => ({
    ...given,
    changes: [...given.changes, { ...change, kind: 'spread', at: dayAt(3) }],
  }),
  'a level that moved with its machine': (given) => ({
    ...given,
    changes: [...given.changes, { ...change, kind: 'moved', at: dayAt(3) }],
  }),
  'a gap': (given) => ({ ...given, gaps: [{ at: '2026-11-03T12:00:00Z', label: '', reason: 'missed' }] }),
  'another machine of its kind': (given) => ({
    ...given,
    lines: [line(...days(6, (day) => ({ place: day < 3 ? 'a' : 'b' })))],
  }),
  'another kind of machine': (given) => ({
    ...given,
    lines: [line(...days(6, (day) => ({ segment: day < 3 ? 0 : 1 })))],
  }),
}

describe.each(Object.keys(PARTED))('across %s', (what) => {
  const drift: HistoryChange = { ...change, kind: 'drift', at: dayAt(0), before: 100, after: 85 }
  const whole: HistoryInput = {
    ...input,
    lines: [line(...days(6))],
    changes: [drift],
    bands: [{ starts_at: dayAt(0), ends_at: dayAt(5), low: 88, high: 93 }],
  }
  const given = (PARTED[what] ?? ((same) => same))(whole)
  const days0 = placesOf(given)
  const parted = days0.of(dayAt(3))
  /** Whether something drawn from one place to another leads from before the parting to after it. */
  const leadsThrough = (from: number, to: number): boolean => from < parted - 0.5 && to > parted - 0.5

  it('no line joins medians', () => {
    const drawnPieces = joinedIn(lines(given)[0])
    expect(drawnPieces.flat()).toHaveLength(6)
    expect(drawnPieces.filter((piece) => leadsThrough(piece[0] ?? 0, piece.at(-1) ?? 0))).toEqual([])
    expect(joinedIn(lines(whole)[0])).toEqual([[0, 1, 2, 3, 4, 5]])
  })

  it('no drift is drawn', () => {
    const ends = (some: HistoryInput) =>
      (lines(some)[0]?.markLine.data ?? []).flatMap((one) =>
        Array.isArray(one) ? [(one as { coord: number[] }[]).map((end) => end.coord[0] ?? NaN)] : [],
      )
    expect(ends(given).length).toBeGreaterThan(0)
    expect(ends(given).filter(([from, to]) => leadsThrough(from ?? 0, to ?? 0))).toEqual([])
    expect(ends(whole)).toEqual([[0, 5]])
  })

  it('no band lies', () => {
    const bands = (some: HistoryInput) =>
      drawn(some)
        .filter((one) => one.type === 'custom')
        .map((one) => [one.data[0]?.[0] ?? NaN, one.data.at(-1)?.[0] ?? NaN])
    expect(bands(given).length).toBeGreaterThan(0)
    expect(bands(given).filter(([from, to]) => leadsThrough(from ?? 0, to ?? 0))).toEqual([])
    expect(bands(whole)).toEqual([[-0.4, 5.4]])
  })
})

describe('a drift with a step inside', () => {
  it('keeps its slope on both sides, at the levels that are left and right of the step', () => {
    const drift: HistoryChange = { ...change, kind: 'drift', at: dayAt(0), before: 100, after: 100 * 0.99 ** 5 * 0.8 }
    const step = { ...change, at: dayAt(3), before: 100, after: 80 }
    const stepped = days(6, (day) => ({ value: 100 * 0.99 ** day * (day < 3 ? 1 : 0.8) }))
    const [first] = lines({ ...input, lines: [line(...stepped)], changes: [drift, step] })
    expect(first?.markLine.data).toMatchObject([
      [{ coord: [0, closeTo(100)] }, { coord: [2, closeTo(100 * 0.99 ** 2)] }],
      [{ coord: [3, closeTo(80 * 0.99 ** 3)] }, { coord: [5, closeTo(80 * 0.99 ** 5)] }],
      { xAxis: 2.5 },
    ])
  })

  it('lies inside the axis, outside of which nothing of it would be drawn', () => {
    const drift: HistoryChange = { ...change, kind: 'drift', at: dayAt(0), before: 130, after: 20 }
    const [first] = lines({ ...input, lines: [line(...days(6))], changes: [drift] })
    expect(first?.markLine.data).toMatchObject([[{ coord: [0, 100] }, { coord: [5, 90] }]])
  })

  it('is marked upright where no two points are together', () => {
    const turns = days(6, (day) => ({ place: day % 2 ? 'a' : 'b' }))
    const drift: HistoryChange = { ...change, kind: 'drift', at: dayAt(1) }
    const [first] = lines({ ...input, lines: [line(...turns)], changes: [drift] })
    expect(first?.markLine.data).toMatchObject([{ name: 'drift', xAxis: 0.5 }])
  })
})

describe('a line over another', () => {
  it('is parted where its own series is, not where the first one is', () => {
    const own = { ...line(...days(4)), name: 'another', breaks: [dayAt(1)] }
    const given = { ...input, lines: [line(...days(4)), own], changes: [{ ...change, at: dayAt(3) }] }
    expect(lines(given).map(joinedIn)).toEqual([
      [[0, 1, 2], [3]],
      [[0], [1, 2, 3]],
    ])
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

  it('are of one machine where two take turns', () => {
    const bands = [{ starts_at: dayAt(0), ends_at: dayAt(2), low: 88, high: 93, place: 'a', segment: 0 }]
    const turns = days(4, (day) => ({ place: day % 2 ? 'b' : 'a' }))
    const found = drawn({ ...input, lines: [line(...turns)], bands }).filter((one) => one.type === 'custom')
    expect(found.map((one) => one.data.map(([x]) => x))).toEqual([
      [-0.4, 0.4],
      [1.6, 2.4],
    ])
  })
})
