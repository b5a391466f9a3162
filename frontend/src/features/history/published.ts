import type { PublishedCell, PublishedFigure, PublishedSource, Series } from '@/api'
import type { HistoryPublished } from '@/charts'
import { loadWords } from '@/features/sources'
import { plural } from '@/ui'

/** Letters of a title that a name on a chart has room for. */
const LONGEST_TITLE = 28

/** A published side that somebody set beside a series. */
export interface PublishedOfSeries {
  key: string
  label: string
  source: PublishedSource
  levels: HistoryPublished[]
}

/** A load as our levels are called: `32 clients`, `300 clients, pipeline 10`; else its own label. */
function levelOf({ clients, pipeline, label }: PublishedCell['load']): string {
  if (clients === null) return label
  return plural(clients, 'client') + (pipeline !== null && pipeline > 1 ? `, pipeline ${pipeline}` : '')
}

const isOf = (cell: PublishedCell, series: Pick<Series, 'load_level'>): boolean =>
  [levelOf(cell.load), cell.load.label].includes(series.load_level.label)

function levels(
  cell: PublishedCell,
  figures: readonly PublishedFigure[],
  label: string,
  { source }: PublishedSource,
  colour: string,
  write: (value: number) => string,
): HistoryPublished[] {
  const { title } = source
  const short = title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1).trimEnd()}…` : title
  return figures.map((figure) => {
    const of = [
      figure.operation === 'all' ? '' : figure.operation,
      cell.workload || 'workload not told',
      cell.run,
      figure.setting,
    ]
      .filter(Boolean)
      .join(', ')
    return {
      name: `◌ ${label}, published: ${short}, ${of}`,
      colour,
      value: figure.value!,
      tip: [
        `${label}: ${figure.printed || write(figure.value!)}`,
        `${of}, ${loadWords(cell.load)}`,
        `Published, not measured here: ${title}`,
      ],
    }
  })
}

/**
 * What a side of a source tells of a series' figure at its load, a level each: whole where the source tells it of all
 * operations, else one an operation. Workloads are named, not matched: nothing says that they are the same.
 */
export function publishedOf(
  key: string,
  source: PublishedSource,
  series: Pick<Series, 'metric' | 'load_level'>,
  colour: string,
  write: (value: number) => string,
): PublishedOfSeries | null {
  const name = key.slice(key.indexOf('~') + 1)
  const side = source.results.sides.find((one) => one.name === name)
  if (!side) return null
  const label = side.label || side.system || side.name
  const found = source.results.cells
    .filter((cell) => cell.side === name && isOf(cell, series))
    .flatMap((cell) => {
      const mine = cell.figures.filter((one) => one.figure === series.metric && one.value !== null && one.value > 0)
      const whole = mine.filter((one) => one.operation === 'all')
      return levels(cell, whole.length ? whole : mine, label, source, colour, write)
    })
  return { key, label, source, levels: found }
}
