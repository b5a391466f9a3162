import { formatRelative, formatSpread } from '@/ui'

import type { AxisFormat } from './frame'
import type { Along, Slot } from './slots'
import type { Zoom } from './zoom'

/** One campaign's figure in a series. */
export interface HistoryPoint {
  at: string
  label: string
  value: number
  low: number | null
  high: number | null
  repeats: readonly number[]
  segment: number
  /** The machines that measured it; null where they did not say. */
  place?: string | null
  /** What of those machines changed since their last point, in words. */
  altered?: readonly string[]
  /** Of a pull request or another branch: beside the line, in no course. */
  apart?: boolean
  version?: string | null
  commit?: string | null
  /** What it was measured for, in words; shown as plain text. */
  origin?: string
}

/** A series among those that are drawn over each other. */
export interface HistoryLine {
  name: string
  colour: string
  points: readonly HistoryPoint[]
  /** Where something new begins in it, besides what its points say; of the first line known from the marks. */
  breaks?: readonly string[]
}

/** The points of a line that are its course: all but those of pull requests and other branches. */
export function courseOf(line: Pick<HistoryLine, 'points'> | undefined): readonly HistoryPoint[] {
  return (line?.points ?? []).filter((point) => !point.apart)
}

/** Where a series stepped, or between when it drifted. */
export interface HistoryChange {
  at: string
  kind: 'step' | 'drift' | 'spread' | 'moved'
  /** Of a drift that is over. */
  until?: string
  before: number
  after: number
  relative: number
  confirmed: boolean
  /** Whether it is for the better; null where neither is. */
  better: boolean | null
  /** What people say of its alert; empty while nobody said anything. */
  state: string
  /** Whether it still asks for somebody. */
  open: boolean
}

/** Between which values a machine can tell nothing, from one campaign to another. */
export interface NoiseBand {
  starts_at: string
  ends_at: string
  segment?: number
  /** The machine. */
  place?: string | null
  low: number
  high: number
}

/** Where there could be a point and is none. */
export interface HistoryGap {
  at: string
  label: string
  reason: string
}

/** What somebody wrote beside a point or an instant. */
export interface HistoryNote {
  at: string
  text: string
}

/** A figure that others published: a level across, for it was measured in none of our campaigns. */
export interface HistoryPublished {
  /** With its source. */
  name: string
  colour: string
  value: number
  /** Lines of plain text. */
  tip: readonly string[]
}

export interface HistoryInput {
  /** The first is the one that the marks are of. */
  lines: readonly HistoryLine[]
  changes: readonly HistoryChange[]
  segments: readonly { index: number; label: string }[]
  /** Where campaigns stay while nothing changes. */
  bands?: readonly NoiseBand[]
  gaps?: readonly HistoryGap[]
  notes?: readonly HistoryNote[]
  /** Beside the lines; in no course, band or change. */
  published?: readonly HistoryPublished[]
  format: AxisFormat
  along: Along
  zoom?: Zoom | null
}

/** Where instants stand on the axis of a history. */
export interface Places {
  of: (at: string) => number
  slots: readonly Slot[]
  /** Half the width of a point's place. */
  half: number
}

/** A change in words: `−8.0 %`, `drift −5.0 %, expected`. */
export function changeInWords(change: HistoryChange): string {
  const state = !change.confirmed ? ', not confirmed' : change.state ? `, ${change.state}` : ''
  if (change.kind === 'spread') return `noise ${formatSpread(change.before)} → ${formatSpread(change.after)}${state}`
  const kind = change.kind === 'drift' ? 'drift ' : ''
  const moved = change.kind === 'moved' ? ' with the machine' : ''
  return `${kind}${formatRelative(change.relative)}${moved}${state}`
}

/**
 * Whether a change is for the better; null where neither is, or nothing in the figures says: noise is
 * no level, and a level that moved with its machine may be the machine's.
 */
export function saysBetter(
  change: Pick<HistoryChange, 'kind' | 'relative'>,
  moreIsBetter: boolean | null,
): boolean | null {
  if (moreIsBetter === null || change.kind === 'spread' || change.kind === 'moved') return null
  return change.relative > 0 === moreIsBetter
}
