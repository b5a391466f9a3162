import { figureOf, type Campaign, type Search, type SearchPoint } from '@/api'
import type { ChartTable, CurvePoint, CurveSide } from '@/charts'
import { formatCount, formatLatency, formatThroughput, INTERVAL, plural, type Shown } from '@/ui'

/** Searches that are drawn together: all targets under one workload, from one load level on. */
export interface SearchGroup {
  key: string
  label: string
  searches: Search[]
}

type Target = Campaign['targets'][number]

/** A figure with its unit in one text. */
const told = (shown: Shown): string => `${shown.value}\u202f${shown.unit}`.trim()
export const throughputText = (value: number): string => told(formatThroughput(value))
export const latencyText = (value: number): string => told(formatLatency(value))

/** What a search keeps an eye on: `p99`. */
export function latencyName(search: Pick<Search, 'latency'>): string {
  return figureOf(search.latency)?.short ?? search.latency
}

/** A load in words: `8 clients`, `12 500 op/s`. */
export function loadText(search: Pick<Search, 'axis'>, value: number): string {
  if (search.axis === 'depth') return `${formatCount(value)} in flight`
  return search.axis === 'clients' ? plural(value, 'client') : `${formatCount(value)}\u202fop/s`
}

/** Searches by workload and beginning, in their order; a label says what tells them apart. */
export function groupsOf(searches: readonly Search[]): SearchGroup[] {
  const groups = new Map<string, SearchGroup>()
  const levels = new Set(searches.map((search) => search.load_level.label))
  for (const search of searches) {
    const key = `${search.workload} from ${search.load_level.label}`
    const label = levels.size > 1 ? key : search.workload
    const group = groups.get(key) ?? { key, label, searches: [] }
    group.searches.push(search)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** The points that have both figures, by rising load. */
export function drawnPoints(search: Search): (SearchPoint & { x: number; y: number })[] {
  return search.points.flatMap((point) =>
    point.throughput && point.latency_us ? [{ ...point, x: point.throughput.median, y: point.latency_us.median }] : [],
  )
}

type Figure = SearchPoint['throughput']
const spanOf = (figure: Figure): readonly [number, number] | null =>
  figure && figure.repeats > 1 ? [figure.low, figure.high] : null

/** Which load stands out: the operating point of a calibration, the knee of a sweep. */
export function ringedValue(search: Search): number | null {
  if (search.axis === 'depth') return search.best
  return search.operating_point?.value ?? (search.scalability || search.knee !== null ? search.knee : null)
}

/** The searches of a group as a chart draws them. */
export function curvesOf(searches: readonly Search[], targets: readonly Target[]): CurveSide[] {
  return searches.map((search) => {
    const target = targets.find((one) => one.name === search.target)
    const ring = ringedValue(search)
    return {
      key: search.target,
      name: target?.label ?? search.target,
      colour: target?.colour ?? 'currentColor',
      mark: target?.mark ?? '◆',
      points: drawnPoints(search).map((point): CurvePoint => ({
        x: point.x,
        y: point.y,
        xRange: spanOf(point.throughput),
        yRange: spanOf(point.latency_us),
        label: formatCount(point.value),
        ringed: point.value === ring,
        tip: [
          point.load_level.label,
          `Throughput: ${throughputText(point.x)}`,
          `${latencyName(search)}: ${latencyText(point.y)}`,
          plural(point.throughput!.repeats, 'repeat'),
          ...(point.efficiency === null ? [] : [`Efficiency: ${percent(point.efficiency)}`]),
          ...(point.throughput_times === null ? [] : [`${times(point.throughput_times)} as much as the first`]),
          ...(point.latency_times === null ? [] : [`${times(point.latency_times)} as long`]),
          ...(point.value === ring ? [ringWord(search)] : []),
        ],
      })),
    }
  })
}

const times = (value: number): string => `${Number(value.toPrecision(3))}\u202f×`
/** What a ring says. */
export const ringWord = (search: Search): string =>
  search.operating_point ? 'Operating point' : search.axis === 'depth' ? 'Most' : 'Knee'

const percent = (share: number): string => `${Math.round(share * 100)}\u202f%`

/** A fact of a search with the word before it. */
export interface Fact {
  term: string
  value: string
  note?: string
}

/** What came out of a search, the answer first. */
export function factsOf(search: Search): Fact[] {
  const facts: Fact[] = []
  const point = search.operating_point
  if (point) {
    facts.push({
      term: 'Operating point',
      value: loadText(search, point.value),
      note: `${formatCount(Math.round(point.low))} – ${formatCount(Math.round(point.high))}, ${INTERVAL}`,
    })
    if (point.throughput !== null) facts.push({ term: 'Done there', value: throughputText(point.throughput) })
    if (point.latency_us !== null)
      facts.push({ term: `${latencyName(search)} there`, value: latencyText(point.latency_us) })
    return facts
  }
  const drawn = drawnPoints(search)
  if (search.axis === 'depth') return ladderFacts(search)
  const most = drawn.reduce<(typeof drawn)[number] | null>((best, one) => (!best || one.x > best.x ? one : best), null)
  if (search.envelope_us !== null && !most) return facts
  if (search.knee !== null)
    facts.push({
      term: 'Knee',
      value: loadText(search, search.knee),
      ...(search.knee_inside ? {} : { note: 'at the edge of what was measured' }),
    })
  if (most) facts.push({ term: 'Most', value: throughputText(most.x), note: `with ${most.load_level.label}` })
  if (search.saturation !== null)
    facts.push({ term: 'Saturated from', value: loadText(search, search.saturation), note: 'within 5 % of the most' })
  const last = search.points.filter((one) => one.efficiency !== null).at(-1)
  if (last && search.points.length > 1)
    facts.push({ term: 'Efficiency', value: percent(last.efficiency!), note: `with ${last.load_level.label}` })
  return facts
}

/** What a ladder of depths gives, and what that costs. */
function ladderFacts(search: Search): Fact[] {
  const facts: Fact[] = []
  const best = search.points.find((one) => one.value === search.best)
  if (best?.throughput) {
    facts.push({
      term: 'Most',
      value: throughputText(best.throughput.median),
      note: `with ${loadText(search, best.value)}`,
    })
    if (best.throughput_times !== null)
      facts.push({ term: 'Gained', value: times(best.throughput_times), note: 'as much as the first depth' })
    if (best.latency_times !== null)
      facts.push({ term: `Paid in ${latencyName(search)}`, value: times(best.latency_times), note: 'as long' })
  }
  if (search.saturation !== null)
    facts.push({ term: 'Enough', value: loadText(search, search.saturation), note: 'within 5 % of the most' })
  return facts
}

/** The fitted law in a line; empty where none is told. */
export function lawText(search: Search): string {
  const law = search.scalability
  if (!law) return search.scalability_note
  const bounds = (one: { value: number; low: number; high: number | null }) =>
    `${small(one.value)} (${small(one.low)} – ${one.high === null ? '…' : small(one.high)})`
  const peak = law.peak_clients ? `most at ${formatCount(Math.round(law.peak_clients.value))} clients` : law.note
  const [sigma, kappa] = [bounds(law.contention), bounds(law.coherency)]
  return `Universal Scalability Law: contention σ ${sigma}, coherency κ ${kappa}; ${peak}`
}

const small = (value: number): string => (value === 0 ? '0' : Number(value.toPrecision(2)).toString())

/** The chart in a sentence. */
export function searchesSentence(group: SearchGroup, targets: readonly Target[]): string {
  const one = group.searches[0]
  const at = (point: CurvePoint) => `${throughputText(point.x)} with ${point.label}`
  const sides = curvesOf(group.searches, targets).flatMap((side) => {
    const [first, last] = [side.points[0], side.points.at(-1)]
    return first && last ? [`${side.name}: from ${at(first)} to ${at(last)}`] : []
  })
  return `${one ? latencyName(one) : 'Latency'} against throughput. ${sides.join('; ')}.`
}

/**
 * The points of searches as a table.
 *
 * @param deep whether depths of a pipeline are what varies.
 */
export function searchTable({ searches }: SearchGroup, targets: readonly Target[], deep: boolean): ChartTable {
  const latency = searches[0] ? latencyName(searches[0]) : 'latency'
  return {
    columns: [
      'target',
      'load',
      'throughput, op/s',
      'low',
      'high',
      `${latency}, µs`,
      'low',
      'high',
      ...(deep ? ['throughput, times', `${latency}, times`] : ['efficiency']),
      'runs',
    ],
    rows: searches.flatMap((search) =>
      search.points.map((point) => [
        targets.find((one) => one.name === search.target)?.label ?? search.target,
        point.load_level.label,
        rounded(point.throughput?.median),
        rounded(point.throughput?.low),
        rounded(point.throughput?.high),
        rounded(point.latency_us?.median),
        rounded(point.latency_us?.low),
        rounded(point.latency_us?.high),
        ...(deep ? [rounded(point.throughput_times), rounded(point.latency_times)] : [rounded(point.efficiency)]),
        point.runs.length,
      ]),
    ),
  }
}

const rounded = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Number(value.toPrecision(6))
