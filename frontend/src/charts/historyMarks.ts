import { changeInWords, courseOf, type HistoryChange, type HistoryInput, type Places } from './history'
import { driftPieces, type Joined } from './historyJoined'
import type { Palette } from './palette'

/** Longest name of a machine above its stretch. */
const LONGEST_LABEL = 34

/** How far above the plot machines are named, px: the words of steps stand between. */
const ABOVE_STEPS = 20

/** How a change is drawn: red only where it is for the worse and asks for somebody. */
export function strokeOfChange(change: HistoryChange, palette: Palette) {
  if (!change.confirmed) return { color: palette.caution, type: 'dashed' as const, width: 1.5 }
  if (!change.open) return { color: palette.ink3, type: 'dashed' as const, width: 1.2 }
  const color = change.better === null ? palette.info : change.better ? palette.good : palette.bad
  return { color, type: 'solid' as const, width: 1.5 }
}

/** A line at a place, or one between two. */
type Mark = object

/** Steps, drifts and segments behind a series. */
export function backdropOf(input: HistoryInput, places: Places, stretches: readonly Joined[], palette: Palette) {
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      label: { fontSize: 11, position: 'insideEndTop' as const },
      data: [
        ...alteredLines(input, places, palette),
        ...input.changes.flatMap((change): Mark[] =>
          change.kind === 'drift'
            ? driftLines(change, input, places, stretches, palette)
            : [stepLine(change, places, palette)],
        ),
      ],
    },
    markArea: {
      silent: true,
      // Above the plot and above what its steps say there: within it they would lie on points.
      label: { color: palette.ink3, fontSize: 10, position: [0, -ABOVE_STEPS], verticalAlign: 'bottom' as const },
      data: machines(input, places, palette),
    },
  }
}

/** Thin lines where something of a machine changed: the course goes on through them. */
function alteredLines(input: HistoryInput, places: Places, palette: Palette): Mark[] {
  return courseOf(input.lines[0])
    .filter((point) => point.altered?.length)
    .map((point) => ({
      name: 'altered',
      xAxis: places.of(point.at) - places.half,
      lineStyle: { color: palette.ink3, type: 'dotted' as const, width: 1 },
      label: { show: false },
    }))
}

function stepLine(change: HistoryChange, places: Places, palette: Palette) {
  const lineStyle = strokeOfChange(change, palette)
  return {
    name: 'step',
    xAxis: places.of(change.at) - places.half,
    lineStyle,
    // Above the plot: along its line it would lie on the points.
    label: { formatter: changeInWords(change), color: lineStyle.color, position: 'end' as const },
  }
}

/**
 * From the level before, where it began, to the level after, where it ended or last was seen: in each
 * stretch of its points, the longest one labelled. Upright where it has no two points together.
 */
function driftLines(
  change: HistoryChange,
  input: HistoryInput,
  places: Places,
  stretches: readonly Joined[],
  palette: Palette,
): Mark[] {
  const [line] = input.lines
  const lineStyle = { ...strokeOfChange(change, palette), width: 2.5 }
  const pieces = line ? driftPieces(change, line, stretches, input.changes) : []
  if (pieces.length === 0) return [{ ...stepLine(change, places, palette), name: 'drift' }]
  // A mark whose end lies outside of the axis, be it by a rounding, is not drawn at all.
  const drawn = (line?.points ?? []).flatMap((point) => [point.value, ...point.repeats])
  const inside = (level: number): number => Math.min(Math.max(level, Math.min(...drawn)), Math.max(...drawn))
  const width = ({ from, to }: (typeof pieces)[number]): number => places.of(to[0]) - places.of(from[0])
  const widest = Math.max(...pieces.map(width))
  const labelled = pieces.findIndex((piece) => width(piece) === widest)
  const label = {
    formatter: changeInWords(change),
    color: lineStyle.color,
    position: 'middle' as const,
    distance: 10,
    // Legible over the points that it lies on.
    backgroundColor: palette.sheet,
    padding: [1, 4],
  }
  return pieces.map(({ from, to }, index) => [
    {
      name: 'drift',
      coord: [places.of(from[0]), inside(from[1])],
      lineStyle,
      label: index === labelled ? label : { show: false },
    },
    { coord: [places.of(to[0]), inside(to[1])] },
  ])
}

/** Neighbouring points of one segment as a shaded stretch with its machine; none when there is one. */
function machines(input: HistoryInput, places: Places, palette: Palette) {
  if (input.segments.length < 2) return []
  const runs: { segment: number; from: string; to: string }[] = []
  for (const point of courseOf(input.lines[0])) {
    const run = runs.at(-1)
    if (run?.segment === point.segment) run.to = point.at
    else runs.push({ segment: point.segment, from: point.at, to: point.at })
  }
  const named = new Set<number>()
  return runs.map((run) => {
    const label = input.segments.find((one) => one.index === run.segment)?.label ?? ''
    const short = label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label
    const name = named.has(run.segment) ? '' : short
    named.add(run.segment)
    return [
      {
        name,
        xAxis: places.of(run.from) - places.half,
        itemStyle: { color: palette.info, opacity: run.segment % 2 ? 0.1 : 0.03 },
      },
      { xAxis: places.of(run.to) + places.half },
    ]
  })
}
