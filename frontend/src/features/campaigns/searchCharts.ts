import type { Campaign, Search, SearchPoint } from '@/api'
import {
  linearScale,
  logScale,
  type ChartTable,
  type CurveFit,
  type CurvePoint,
  type CurveSide,
  type Scale,
} from '@/charts'
import { formatCount, plural, spanWord } from '@/ui'

import { drawnPoints, latencyName, latencyText, loadText, ringedValue, ringWord, throughputText } from './searches'

type Target = Campaign['targets'][number]
type Estimate = NonNullable<SearchPoint['throughput']>

/** A figure of searches over what they vary, and the same as a table. */
export interface SearchChart {
  title: string
  unit: string
  sides: CurveSide[]
  fits: CurveFit[]
  x: Scale
  y: Scale
  xName: string
  sentence: string
  table: ChartTable
}

const NAMES = {
  clients: 'clients',
  rate: 'operations asked for a second',
  depth: 'requests in flight a client',
} as const
const SHORT = { clients: 'clients', rate: 'rate', depth: 'depth' } as const
const percent = (share: number): string => `${Math.round(share * 100)}\u202f%`
const times = (value: number): string => `${Number(value.toPrecision(3))}\u202f×`
const digits = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Number(value.toPrecision(6))
const bare = (text: string): string => text.replace(/\s?op\/s$/, '')

/**
 * What else there is to see of searches than latency over throughput: of clients how throughput and efficiency go
 * with them, of a pipeline what each depth gives and what it is paid with.
 */
export function searchCharts(searches: readonly Search[], targets: readonly Target[]): SearchChart[] {
  const [one] = searches
  if (!one) return []
  const by = `by ${SHORT[one.axis]}`
  const throughput = chart(searches, targets, {
    title: `Throughput ${by}`,
    unit: 'successful operations per second, both axes by logarithm',
    value: (point) => point.throughput,
    write: throughputText,
    logarithmic: true,
    fit: (law) => law.throughput,
  })
  if (one.axis === 'depth') {
    const latency = latencyName(one)
    return [
      throughput,
      chart(searches, targets, {
        title: `${latency} ${by}`,
        unit: 'what the throughput is paid with, both axes by logarithm',
        value: (point) => point.latency_us,
        write: latencyText,
        logarithmic: true,
      }),
    ]
  }
  if (one.axis === 'rate') return [throughput]
  return [
    throughput,
    chart(searches, targets, {
      title: 'Scaling efficiency',
      unit: 'throughput a client, against the fewest clients',
      value: efficiencyOf,
      write: percent,
      logarithmic: false,
      fit: (law) => law.efficiency,
    }),
  ]
}

type Shown = Pick<Estimate, 'median' | 'low' | 'high' | 'is_interval' | 'repeats'>
type LawPoint = NonNullable<Search['scalability']>['line'][number]

interface Kind {
  title: string
  unit: string
  value: (point: SearchPoint) => Shown | null
  write: (value: number) => string
  logarithmic: boolean
  fit?: (law: LawPoint) => number
}

function efficiencyOf(point: SearchPoint): Shown | null {
  const { efficiency: median } = point
  if (median === null) return null
  return {
    median,
    low: point.efficiency_low ?? median,
    high: point.efficiency_high ?? median,
    is_interval: point.efficiency_is_interval ?? false,
    repeats: point.throughput?.repeats ?? 1,
  }
}

function chart(searches: readonly Search[], targets: readonly Target[], kind: Kind): SearchChart {
  const rows: ChartTable['rows'][number][] = []
  const [loads, values]: [number[], number[]] = [[], []]
  const sides = searches.map((search): CurveSide => {
    const target = targets.find((one) => one.name === search.target)
    const ring = ringedValue(search)
    const name = target?.label ?? search.target
    return {
      key: search.target,
      name,
      colour: target?.colour ?? 'currentColor',
      mark: target?.mark ?? '◆',
      points: drawnPoints(search).flatMap((point): CurvePoint[] => {
        const shown = kind.value(point)
        if (!shown) return []
        const range = shown.high > shown.low ? ([shown.low, shown.high] as const) : null
        const word = spanWord({ kind: shown.is_interval ? 'interval' : 'range', repeats: shown.repeats })
        const bought = [
          ...(point.throughput_times === null ? [] : [`${times(point.throughput_times)} as much as the first`]),
          ...(point.latency_times === null ? [] : [`${times(point.latency_times)} as long as the first`]),
        ]
        loads.push(point.value)
        values.push(shown.median, ...(range ?? []))
        rows.push([
          name,
          point.load_level.label,
          digits(shown.median),
          range && digits(shown.low),
          range && digits(shown.high),
          range && word,
          shown.repeats,
          ...(search.axis === 'depth' ? [digits(point.throughput_times), digits(point.latency_times)] : []),
        ])
        return [
          {
            x: point.value,
            y: shown.median,
            xRange: null,
            yRange: range,
            label: '',
            ringed: point.value === ring,
            tip: [
              loadText(search, point.value),
              `${kind.title}: ${kind.write(shown.median)}`,
              ...(range ? [`${word} ${kind.write(range[0])} to ${kind.write(range[1])}`] : []),
              ...bought,
              plural(shown.repeats, 'repeat'),
              ...(point.value === ring ? [ringWord(search)] : []),
            ],
          },
        ]
      }),
    }
  })
  const [one] = searches
  return {
    title: kind.title,
    unit: kind.unit,
    sides,
    fits: searches.flatMap((search, at) =>
      kind.fit && search.scalability
        ? [
            {
              colour: sides[at]!.colour,
              points: search.scalability.line.map((law) => [law.clients, kind.fit!(law)] as const),
            },
          ]
        : [],
    ),
    x: logScale(loads, (value) => formatCount(value), true),
    y: kind.logarithmic
      ? logScale(values, (value) => bare(kind.write(value)))
      : linearScale([1, ...values], kind.write),
    xName: `${one ? NAMES[one.axis] : ''} →`,
    sentence: sentence(kind, sides),
    table: {
      columns: [
        'target',
        'load',
        kind.title.toLowerCase(),
        'low',
        'high',
        'from low to high',
        'repeats',
        ...(one?.axis === 'depth' ? ['throughput, times', `${latencyName(one)}, times`] : []),
      ],
      rows,
    },
  }
}

function sentence(kind: Kind, sides: readonly CurveSide[]): string {
  const told = sides.flatMap(({ name, points }) => {
    const [first, last] = [points[0], points.at(-1)]
    if (!first || !last) return []
    return [`${name}: from ${kind.write(first.y)} at ${first.tip[0]} to ${kind.write(last.y)} at ${last.tip[0]}`]
  })
  return `${kind.title}. ${told.join('; ')}.`
}
