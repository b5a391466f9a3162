import type { Comparison, ComparisonCell, Difference } from '@/api'
import type { Ratio } from '@/charts'
import { formatRelative, hasWords, type Span } from '@/ui'

import { metricKind, METRICS, untold, written } from './metrics'
import type { PlacedSide } from './view'

/** A difference as a row of the ledger. */
export interface LedgerRow {
  /** Stands in the address while the row is open. */
  id: string
  difference: Difference
  side: PlacedSide
  baseline: PlacedSide
  metric: string
  ratio: Ratio
  /** Repeats of the side, each against the baseline's median. */
  repeats: readonly { run: string; ratio: number }[]
  /** Place in the document: workload, load level, figure, side. */
  order: readonly number[]
}

/** More repeats than this are no advice: the difference is too small for this noise. */
const WORTH_ASKING = 30

/** A step of less than this share of a figure is no matter beside its noise. */
const COARSE = 0.005

const BASES: Record<Difference['basis'], string> = {
  medians: '',
  blocks: 'by blocks',
  campaigns: 'by campaigns',
}

const WORDS: Record<Difference['word'], string> = {
  more: 'more',
  less: 'less',
  as_much: 'as much',
  cannot_tell: 'cannot tell',
  too_few: 'too few repeats',
}

/** The rows of the sides on show, in the document's order: workload, load, figure, side. */
export function ledgerRows(comparison: Comparison, shown: readonly PlacedSide[]): LedgerRow[] {
  const sides = new Map(shown.map((side, at) => [side.key, { side, at }]))
  const levels = comparison.load_levels.map((level) => level.label)
  const figures = METRICS.map((metric) => metric.key)
  return comparison.differences
    .flatMap((difference) => {
      const [side, baseline] = [sides.get(difference.side), sides.get(difference.baseline_side)]
      if (!side || !baseline) return []
      const place = (names: readonly string[], name: string) =>
        names.includes(name) ? names.indexOf(name) : names.length
      const order = [
        place(comparison.workloads, difference.workload),
        place(levels, difference.load_level.label),
        place(figures, difference.metric),
        side.at,
      ]
      const cell = cellOf(comparison, difference, difference.side)
      return [
        {
          id: order.slice(0, 3).concat(side.side.place).join('-'),
          difference,
          side: side.side,
          baseline: baseline.side,
          metric: metricKind(difference.metric)?.label ?? difference.metric,
          ratio: { ratio: 1 + difference.relative, low: 1 + difference.low, high: 1 + difference.high },
          repeats: repeatsOf(cell, difference),
          order,
        },
      ]
    })
    .sort((a, b) => a.order.map((place, at) => place - b.order[at]!).find((sign) => sign !== 0) ?? 0)
}

/** The cell of a side that a difference is about. */
export function cellOf(comparison: Comparison, difference: Difference, side: string): ComparisonCell | undefined {
  return comparison.cells.find(
    (cell) =>
      cell.side === side &&
      cell.workload === difference.workload &&
      cell.load_level.label === difference.load_level.label,
  )
}

function repeatsOf(cell: ComparisonCell | undefined, difference: Difference): LedgerRow['repeats'] {
  return (cell?.repeats ?? []).flatMap((repeat) => {
    const value = repeat.figures[difference.metric]
    return value && difference.baseline_median > 0
      ? [{ run: repeat.run_id, ratio: value / difference.baseline_median }]
      : []
  })
}

/** Where the side stands, in the words that may be said between products. */
export function wordOf(difference: Difference): string {
  return WORDS[difference.word]
}

/** What would settle a difference, or why nothing would; empty where it is settled. */
export function adviceOf(difference: Difference): string {
  if (difference.word === 'more' || difference.word === 'less' || difference.word === 'as_much') return ''
  if (difference.decided_by === 'campaigns') return 'how much campaigns differ here is not known'
  if (untold(difference)) return 'smaller than this machine can tell'
  const more = difference.repeats_needed
  if (more === null) return difference.word === 'cannot_tell' ? 'not distinguishable at this noise' : ''
  if (more > WORTH_ASKING) return 'not distinguishable at this noise'
  return more === 1 ? '1 more repeat could decide' : `${more} more repeats could decide`
}

/** Whether the side does better: good where more of it is better and there is more; neutral where nobody can say. */
export function toneOf(difference: Difference): 'better' | 'worse' | 'plain' {
  if (difference.word !== 'more' && difference.word !== 'less') return 'plain'
  return difference.better === null ? 'plain' : difference.better ? 'better' : 'worse'
}

/** By what a difference was estimated, where it is not that of the medians beside it; else empty. */
export function basisOf({ basis }: Pick<Difference, 'basis'>): string {
  return BASES[basis]
}

/** By what all of them were estimated, where that is one thing other than the medians; else empty. */
export function commonBasis(rows: readonly LedgerRow[]): string {
  const bases = new Set(rows.map(({ difference }) => basisOf(difference)))
  return bases.size === 1 ? [...bases][0]! : ''
}

/** What the ends of a difference are of. */
export function spanOf({ kind, baseline_repeats, repeats }: Difference): Span {
  return { kind, repeats: Math.min(baseline_repeats, repeats) }
}

/** A value of a difference's figure with its unit. */
export function figureOf(difference: Difference, value: number): string {
  const kind = metricKind(difference.metric)
  return kind ? written(kind, value) : String(value)
}

/** Whether a row holds every word of a search: workload, load, side, figure, word. */
export function matches(row: LedgerRow, search: string): boolean {
  const { difference } = row
  const text = [
    difference.workload,
    difference.load_level.label,
    row.side.label,
    row.metric,
    wordOf(difference),
    adviceOf(difference),
  ]
  return hasWords(text, search)
}

type DecidedBy = Difference['decided_by']

/** What settled that there is a difference. */
const SETTLED: Partial<Record<DecidedBy, string>> = {
  level: 'It exceeds the threshold, its interval leaves out “the same”, and it holds over the whole table.',
  family: 'It exceeds the threshold, and holds over the whole table of tests.',
  noise_floor: 'It exceeds the threshold, by what is known of this machine’s noise (A/A).',
}
/** What settled that there is none, or kept it from being settled. */
const UNSETTLED: Record<DecidedBy, string> = {
  level: 'It exceeds the threshold, but its p is too large: chance may have made it.',
  family: 'Alone it would count; over the whole table of tests it does not hold.',
  noise_floor: 'By what is known of this machine’s noise (A/A).',
  threshold: 'There is a difference, and nobody can say whether it exceeds the threshold.',
  equality: 'Its 90\u2009% interval lies within the threshold on both sides.',
  interval: 'Its interval holds “the same”.',
  repeats: 'There are too few repeats to claim anything.',
  campaigns:
    'The sides are of two campaigns, and how much campaigns differ here is not known: ' +
    'measure both in one, or noise (A/A).',
}
const METHODS: Record<Difference['method'], string> = {
  paired: 'paired by block',
  unpaired: 'two campaigns, unpaired',
  two_level: 'over campaigns, by what they differ by themselves',
}

/** The interval that equality is decided by, which is not the one that is drawn. */
function equalityOf(difference: Difference): { key: string; value: string }[] {
  const { equality_low: low = null, equality_high: high = null } = difference
  if (low === null || high === null) return []
  return [{ key: 'equality', value: `90\u2009% interval ${formatRelative(low)} to ${formatRelative(high)}` }]
}

/** What figures are told to, where that is worth saying. */
function resolutionOf(difference: Difference): { key: string; value: string }[] {
  const { resolution = null, baseline_median: median } = difference
  if (resolution === null || resolution < COARSE * median) return []
  return [{ key: 'told to', value: `${figureOf(difference, resolution)}, which widens the interval` }]
}

/** What stands behind a difference, as terms and their values. */
export function detailsOf(row: LedgerRow): { key: string; value: string }[] {
  const { difference } = row
  const probability = (value: number | null) => (value === null ? '–' : value < 0.001 ? '< 0.001' : value.toFixed(3))
  const percent = (value: number) => `${Number((value * 100).toPrecision(2))}\u2009%`
  return [
    {
      key: 'decided by',
      value: (difference.verdict === 'changed' && SETTLED[difference.decided_by]) || UNSETTLED[difference.decided_by],
    },
    ...equalityOf(difference),
    ...resolutionOf(difference),
    {
      key: 'p',
      value: `${probability(difference.p_value)}; over the whole table (Holm) ${probability(difference.p_holm)}`,
    },
    {
      key: 'method',
      value: `${METHODS[difference.method]}; ${difference.repeats} repeats against ${difference.baseline_repeats}${
        difference.left_out ? `, ${difference.left_out} without a partner left out` : ''
      }`,
    },
    {
      key: 'threshold',
      value: `${percent(difference.threshold)}${
        difference.floor === null
          ? '; what this machine can tell was never measured'
          : `; this machine can tell ${percent(difference.floor)}`
      }`,
    },
  ]
}
