import type { Annotation, Run, Series, SeriesSummary } from '@/api'
import {
  alongInWords,
  breaksOf,
  type Along,
  type AxisFormat,
  type ChartPoint,
  type ChartTable,
  type HistoryChange,
  type HistoryInput,
  type HistoryLine,
  type HistoryNote,
  type HistoryPublished,
  placesOf,
  saysBetter,
  type Zoom,
} from '@/charts'
import { hasWords, numbered, spanKind, spanWord, toComparison, type PageAddress } from '@/ui'

import { originOf } from './origin'

type SeriesPoint = Series['points'][number]

/** A series with its points, for the page that shows some. */
export type ShownSeries = Series

/** Alerts that still ask for somebody. */
const OPEN_STATES = new Set(['untriaged', 'acknowledged'])

/** What a series is called: target, workload, level; with its system's other targets told apart by it. */
export function nameOf(series: Pick<Series, 'target_name' | 'workload' | 'load_level'>): string {
  return `${series.target_name}, ${series.workload}, ${series.load_level.label}`
}

/** The comparison of two points of a series: what was measured of its cell in both campaigns. */
export function comparisonOf(
  series: Pick<Series, 'target' | 'workload' | 'load_level' | 'metric'>,
  before: Pick<SeriesPoint, 'campaign_id'>,
  after: Pick<SeriesPoint, 'campaign_id'>,
): PageAddress {
  return toComparison({
    sides: [before, after].map((point) => ({ campaign: point.campaign_id, target: series.target })),
    cell: { workload: series.workload, level: series.load_level.label },
    figure: series.metric,
  })
}

/** The points of the main line, among which courses are looked for. */
export function onMainLine(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  return points.filter((point) => !point.off_main_line)
}

/** A series as a line. */
export function lineOf(series: Series, name: string, colour: string): HistoryLine {
  return {
    name,
    colour,
    breaks: breaksOf({ changes: series.change_points, gaps: series.gaps }),
    points: series.points.map((point) => ({
      at: point.at,
      label: numbered(point.campaign_number),
      value: point.value,
      low: point.low,
      high: point.high,
      repeats: point.repeats,
      segment: point.segment,
      place: point.place,
      altered: point.place_changes,
      apart: point.off_main_line,
      version: point.version,
      commit: point.git?.commit ?? null,
      ...(point.git ? { origin: originOf(point.git) } : {}),
    })),
  }
}

/** Changes as a chart marks them; what follows another figure is left to that one. */
export function changesOf(series: Series, moreIsBetter: boolean | null): HistoryChange[] {
  const at = new Map(series.points.map((point) => [point.campaign_id, point.at]))
  return series.change_points.map((change) => {
    const until = change.ended_by_id ? at.get(change.ended_by_id) : undefined
    return {
      at: change.at,
      kind: change.kind,
      ...(until ? { until } : {}),
      before: change.before,
      after: change.after,
      relative: change.relative,
      confirmed: change.status === 'confirmed',
      better: saysBetter(change, moreIsBetter),
      state: change.state === 'untriaged' ? '' : change.state.replaceAll('_', ' '),
      open: OPEN_STATES.has(change.state),
    }
  })
}

/** Notes with their places: of a point at its campaign, of an instant there, of a whole series at its begin. */
export function notesOf(notes: readonly Annotation[], series: Series): HistoryNote[] {
  const at = new Map(series.points.map((point) => [point.campaign_id, point.at]))
  return notes.flatMap((note) => {
    const { subject } = note
    const where = subject.kind === 'point' ? at.get(subject.campaign_id) : (note.at ?? series.points[0]?.at)
    return where ? [{ at: where, text: `${note.text} (${note.author})` }] : []
  })
}

/** All that a chart of a series shows. */
export function historyOf(
  series: Series,
  lines: readonly HistoryLine[],
  more: {
    format: AxisFormat
    along: Along
    moreIsBetter: boolean | null
    notes?: readonly Annotation[]
    published?: readonly HistoryPublished[]
    zoom?: Zoom | null
  },
): HistoryInput {
  return {
    lines,
    changes: changesOf(series, more.moreIsBetter),
    segments: series.segments,
    bands: series.bands,
    gaps: series.gaps.map((gap) => ({
      at: gap.at,
      label: gap.campaign_number === null ? '' : numbered(gap.campaign_number),
      reason: gap.dates_count > 1 ? `${gap.dates_count} dates, ${gap.reason}` : gap.reason,
    })),
    notes: notesOf(more.notes ?? [], series),
    published: more.published ?? [],
    format: more.format,
    along: more.along,
    zoom: more.zoom ?? null,
  }
}

/** The points of the first line, where they stand and in words. */
export function pointsOf(input: HistoryInput): ChartPoint[] {
  const places = placesOf(input)
  return (input.lines[0]?.points ?? []).map((point) => ({
    at: [places.of(point.at), point.value],
    label: `${point.label}, ${new Date(point.at).toLocaleDateString('en-GB')}: ${input.format.write(point.value)}`,
  }))
}

/** A series in a sentence, with its changes. */
export function historyInWords(series: Series, format: AxisFormat): string {
  const points = onMainLine(series.points).map((point) => ({
    at: `campaign ${numbered(point.campaign_number)}`,
    value: point.value,
  }))
  const changes = series.change_points.filter((change) => change.status === 'confirmed').length
  const told = changes ? ` ${changes} confirmed ${changes === 1 ? 'change' : 'changes'}.` : ' No confirmed change.'
  return alongInWords(nameOf(series), points, format.write) + told
}

/** The figures of a series, a row a campaign; gaps and notes in their places. */
export function historyTable(series: Series, notes: readonly Annotation[]): ChartTable {
  const noted = (campaign: string): string =>
    notes
      .filter((note) => note.subject.kind === 'point' && note.subject.campaign_id === campaign)
      .map((note) => note.text)
      .join('; ')
  const rows = series.points.map((point) => ({
    at: point.at,
    row: [
      numbered(point.campaign_number),
      point.at,
      point.asked_at,
      point.value,
      point.low,
      point.high,
      spanWord({ kind: spanKind(point.repeats.length), repeats: point.repeats.length }),
      point.repeats.length,
      point.segment,
      point.version,
      point.git?.commit ?? null,
      point.git?.branch ?? null,
      point.git?.pull_request ?? null,
      point.off_main_line ? 'apart' : 'main',
      point.place_changes.join(', ') || null,
      noted(point.campaign_id) || null,
    ],
  }))
  const gaps = series.gaps.map((gap) => ({
    at: gap.at,
    row: [
      gap.campaign_number === null ? '–' : numbered(gap.campaign_number),
      gap.at,
      gap.at,
      ...Array.from({ length: 12 }, () => null),
      gap.reason,
    ],
  }))
  return {
    columns: [
      'campaign',
      'at',
      'asked at',
      'median',
      'low',
      'high',
      'from low to high',
      'repeats',
      'segment',
      'version',
      'commit',
      'branch',
      'request',
      'line',
      'machine changed',
      'notes',
    ],
    rows: [...rows, ...gaps].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).map(({ row }) => row),
  }
}

/** Series that have all words of a search in their names. */
export function searched<T extends SeriesSummary>(series: readonly T[], wanted: string): T[] {
  return series.filter((one) => hasWords([nameOf(one), one.system_id, one.experiment.name], wanted))
}

/** Whether a run belongs to a series. */
export function isOf(run: Pick<Run, 'cell'>, series: Pick<Series, 'target' | 'workload' | 'load_level'>): boolean {
  const { target, workload, load_level } = run.cell
  return target === series.target && workload === series.workload && load_level.label === series.load_level.label
}

/** A zoom as it stands in the address: `25-50`. */
export function zoomText(zoom: Zoom | null): string {
  return zoom ? zoom.map((end) => Number(end.toFixed(1))).join('-') : ''
}

/** The zoom of an address; null: the whole. */
export function readZoom(text: string): Zoom | null {
  const [start, end] = text.split('-').map(Number)
  return start !== undefined && end !== undefined && start >= 0 && end <= 100 && start < end ? [start, end] : null
}
