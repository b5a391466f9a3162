import type { ComparisonSide, ScaledLine, Scaling } from '@/api'
import { linearScale, logScale, type ChartTable, type CurvePoint } from '@/charts'
import { formatCount, formatThroughput, spanWord } from '@/ui'

import { loadTick, nameOf, round, sentenceOf, type Figures } from './figures'

const percent = (share: number): string => `${Math.round(share * 100)}\u2009%`
const throughput = (value: number): string => {
  const shown = formatThroughput(value)
  return `${shown.value}\u202f${shown.unit}`
}
const spanOf = ({ efficiency_is_interval: is, throughput: { repeats } }: ScaledLine['points'][number]): string =>
  spanWord({ kind: is ? 'interval' : 'range', repeats })

/** The lines of a closed loop under one workload, side by side as they are shown. */
export function closedLines(scaling: Scaling, shown: readonly ComparisonSide[], workload: string) {
  return shown.flatMap((side) =>
    scaling.lines
      .filter((line) => line.side === side.key && line.workload === workload && line.load_kind === 'closed')
      .map((line) => ({ side, line })),
  )
}

/** A line under what it is called where several are shown. */
export const lineName = (side: ComparisonSide, line: ScaledLine): string => nameOf(side, line.variant).name

/**
 * Scaling efficiency over the clients by logarithm, with the intervals that the server gives and, dotted, the
 * law that it fitted; the knee is ringed.
 */
export function efficiency(scaling: Scaling, shown: readonly ComparisonSide[], workload: string): Figures {
  const lines = closedLines(scaling, shown, workload)
  const rows: ChartTable['rows'][number][] = []
  const [clients, values]: [number[], number[]] = [[], [1]]
  const sides = lines.map(({ side, line }) => ({
    ...nameOf(side, line.variant),
    points: line.points.flatMap((point): CurvePoint[] => {
      const { efficiency: share, efficiency_low: low, efficiency_high: high, load_level: level } = point
      if (share === null) return []
      const bounds = low === null || high === null ? null : ([low, high] as const)
      const knee = level.label === line.knee
      clients.push(level.value)
      values.push(share, ...(bounds ?? []))
      rows.push([
        side.label,
        level.label,
        round(share * 100),
        bounds && round(bounds[0] * 100),
        bounds && round(bounds[1] * 100),
        bounds && spanOf(point),
        round(point.throughput.median),
        round(point.throughput.median / level.value),
        point.throughput.repeats,
        knee ? 'knee' : null,
      ])
      return [
        {
          x: level.value,
          y: share,
          xRange: null,
          yRange: bounds,
          label: '',
          ringed: knee,
          tip: [
            level.label,
            `${percent(share)} of what each client did at ${line.points[0]!.load_level.label}`,
            ...(bounds ? [`${spanOf(point)} ${percent(bounds[0])} to ${percent(bounds[1])}`] : []),
            `${throughput(point.throughput.median / level.value)} a client`,
            ...(knee ? [kneeWords(line)] : []),
          ],
        },
      ]
    }),
  }))
  return {
    sides,
    x: logScale(clients, loadTick, true),
    y: linearScale(values, percent),
    xName: 'clients →',
    fits: lines.flatMap(({ side, line }) =>
      line.scalability
        ? [
            {
              colour: side.colour,
              points: line.scalability.line.map((one) => [one.clients, one.efficiency] as const),
            },
          ]
        : [],
    ),
    sentence: sentenceOf(sides, 'Throughput a client against the fewest clients', percent),
    table: {
      columns: [
        'side',
        'load',
        'efficiency, %',
        'low',
        'high',
        'from low to high',
        'op/s',
        'op/s a client',
        'repeats',
        'knee',
      ],
      rows,
    },
  }
}

/** A ring in words. */
export function kneeWords(line: Pick<ScaledLine, 'knee_inside'>): string {
  return line.knee_inside
    ? 'Knee: throughput over response time is greatest'
    : 'Knee, at the edge of what was measured: it may lie outside'
}

/** What came out of one line. */
export interface LawRow {
  key: string
  side: ComparisonSide
  name: string
  knee: string
  saturation: string
  contention: string
  coherency: string
  r_squared: string
  peak: string
  /** Why no law is told. */
  note: string
}

const small = (value: number): string => (value === 0 ? '0' : Number(value.toPrecision(2)).toString())
const bounded = ({ value, low, high }: { value: number; low: number; high: number | null }, write = small): string =>
  `${write(value)} (${write(low)} to ${high === null ? '…' : write(high)})`
const clientCount = (value: number): string => formatCount(Math.round(value))

/** Knee, saturation and law of each line of a workload. */
export function lawRows(scaling: Scaling, shown: readonly ComparisonSide[], workload: string): LawRow[] {
  return closedLines(scaling, shown, workload).map(({ side, line }) => {
    const law = line.scalability
    const peak = law?.peak_clients
    return {
      key: `${side.key}|${line.variant}`,
      side,
      name: lineName(side, line),
      knee: line.knee ? `${line.knee}${line.knee_inside ? '' : ', at the edge'}` : '–',
      saturation: line.saturation ?? '–',
      contention: law ? bounded(law.contention) : '–',
      coherency: law ? bounded(law.coherency) : '–',
      r_squared: law ? law.r_squared.toFixed(3) : '–',
      peak: peak ? bounded(peak, clientCount) : '–',
      note: law ? law.note : line.scalability_note,
    }
  })
}

/** The same as a table to take along. */
export function lawTable(scaling: Scaling, shown: readonly ComparisonSide[], workload: string): ChartTable {
  return {
    columns: [
      'side',
      'knee',
      'saturated from',
      'contention σ',
      'low',
      'high',
      'coherency κ',
      'low',
      'high',
      'R²',
      'most at, clients',
      'low',
      'high',
      'note',
    ],
    rows: closedLines(scaling, shown, workload).map(({ side, line }) => {
      const law = line.scalability
      const three = (one: { value: number; low: number; high: number | null } | null | undefined) =>
        one ? [round(one.value), round(one.low), round(one.high)] : [null, null, null]
      return [
        lineName(side, line),
        line.knee,
        line.saturation,
        ...three(law?.contention),
        ...three(law?.coherency),
        round(law?.r_squared),
        ...three(law?.peak_clients),
        law ? law.note : line.scalability_note,
      ]
    }),
  }
}
