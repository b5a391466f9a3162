import type { ComparisonSide, Footprint } from '@/api'
import { linearScale, type BarSide, type ChartTable, type Scale } from '@/charts'
import { formatBytes, formatCount, spanWord } from '@/ui'

type Side = Footprint['sides'][number]
type Figure = Side['figures'][number]
type Measure = Figure['measure']
type Moment = Figure['moment']

const MOMENTS: readonly { key: Exclude<Moment, 'per_record'>; label: string }[] = [
  { key: 'before', label: 'before' },
  { key: 'after_load', label: 'after the load' },
  { key: 'after', label: 'after the run' },
  { key: 'peak', label: 'peak' },
]
/** What is measured, by who tells it. */
const MEASURES: Record<Measure, { title: string; unit: string; short: string }> = {
  resident: { title: 'Memory of the processes', unit: 'resident, as the machine tells', short: 'memory, resident' },
  used: { title: 'Memory for data', unit: 'as the system itself tells', short: 'memory, as told' },
  disk: { title: 'Disk', unit: 'size of its files', short: 'disk' },
}

/** A chart of bars with the same figures as a table. */
export interface BarFigures {
  title: string
  unit: string
  groups: string[]
  sides: BarSide[]
  y: Scale
  sentence: string
  table: ChartTable
}

/** Bytes in one text; fractions of a byte are none. */
export function bytesText(value: number): string {
  const { value: text, unit } = formatBytes(Math.abs(value) < 1024 ? Math.round(value) : value)
  return unit ? `${text}\u202f${unit}` : text
}
/** Bytes as a table has them: whole, unless they are few. */
const exact = (value: number): number => (Math.abs(value) < 1000 ? Number(value.toPrecision(6)) : Math.round(value))
const tick = (value: number): string => {
  const { value: text, unit } = formatBytes(value)
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return unit ? `${short}\u202f${unit}` : short
}

function figureAt(side: Side, measure: Measure, moment: Moment): Figure | undefined {
  return side.figures.find((one) => one.measure === measure && one.moment === moment)
}

/** The charts of a cell: memory and disk by moment, as far as anybody tells, and what a record takes. */
export function footprintCharts(found: Footprint, shown: readonly ComparisonSide[]): BarFigures[] {
  const charts = (['resident', 'used', 'disk'] as const).map((measure) =>
    chart(
      found,
      shown,
      MOMENTS.map(({ key, label }) => ({ label, measure, moment: key })),
      MEASURES[measure],
    ),
  )
  const records = chart(
    found,
    shown,
    (['resident', 'used', 'disk'] as const).map((measure) => ({
      label: MEASURES[measure].short,
      measure,
      moment: 'per_record' as const,
    })),
    { title: 'Bytes a record', unit: 'what the load added, for each record that is held' },
  )
  return [...charts, records].filter((one) => one.table.rows.length > 0)
}

function chart(
  found: Footprint,
  shown: readonly ComparisonSide[],
  places: readonly { label: string; measure: Measure; moment: Moment }[],
  { title, unit }: { title: string; unit: string },
): BarFigures {
  const values: number[] = []
  const rows: ChartTable['rows'][number][] = []
  const known = places.filter(({ measure, moment }) => found.sides.some((side) => figureAt(side, measure, moment)))
  const sides = shown.map((side): BarSide => {
    const own = found.sides.find((one) => one.side === side.key)
    return {
      key: side.key,
      name: side.label,
      colour: side.colour,
      mark: side.mark,
      bars: known.map(({ label, measure, moment }) => {
        const estimate = own && figureAt(own, measure, moment)?.estimate
        if (!own || !estimate) return null
        const { median, low, high, repeats, kind } = estimate
        const range = repeats > 1 ? ([Math.max(0, low), high] as const) : null
        const word = spanWord({ kind, repeats })
        values.push(median, high)
        rows.push([side.label, label, exact(median), range && exact(low), range && exact(high), range && word, repeats])
        return {
          // What the load gave back takes no room.
          value: Math.max(0, median),
          range,
          tip: [
            label,
            bytesText(median),
            ...(range ? [`${word} ${bytesText(low)} to ${bytesText(high)}`] : []),
            ...(moment === 'per_record' ? [recordsWords(own)] : []),
            ...(moment === 'peak' && own.machines > 1 ? [`sum of the peaks of ${own.machines} machines`] : []),
          ],
        }
      }),
    }
  })
  return {
    title,
    unit,
    groups: known.map(({ label }) => label),
    sides: sides.filter((side) => side.bars.some(Boolean)),
    // Room for the marks above the bars.
    y: binaryScale(
      values.map((value) => value * 1.1),
      tick,
    ),
    sentence: sentence(title, sides),
    table: { columns: ['side', 'when', 'median, bytes', 'low', 'high', 'from low to high', 'repeats'], rows },
  }
}

/** How many records, and who says so. */
export function recordsWords(side: Pick<Side, 'records' | 'records_told'>): string {
  if (side.records === null) return 'nobody says how many records'
  return `${formatCount(side.records)} records, ${side.records_told ? 'as it says' : 'by the workload'}`
}

function sentence(title: string, sides: readonly BarSide[]): string {
  const told = sides.flatMap(({ name, bars }) => {
    const last = bars.filter(Boolean).at(-1)
    return last ? [`${name}: ${last.tip[1]} ${last.tip[0]}`] : []
  })
  return `${title}. ${told.join('; ')}.`
}

/** A straight axis whose figures are round in the values' own binary unit. */
export function binaryScale(values: readonly number[], write: (value: number) => string): Scale {
  const most = Math.max(1, ...values)
  const unit = 1024 ** Math.floor(Math.log(most) / Math.log(1024))
  const scale = linearScale(
    values.map((value) => value / unit),
    (value) => write(value * unit),
  )
  return {
    ...scale,
    min: scale.min * unit,
    max: scale.max * unit,
    ticks: scale.ticks.map((one) => ({ ...one, at: one.at * unit })),
  }
}
