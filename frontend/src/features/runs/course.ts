import type { RunSeries } from '@/api'
import type { Moment } from '@/charts'
import type { IconName } from '@/ui'

/** A mark of the run, in seconds from its first interval. */
export type Mark = RunSeries['marks'][number]

/** Something that was done to the system or that it did itself, with what became of it. */
export interface CourseRow {
  at_seconds: number
  tone: Moment['tone']
  icon: IconName
  what: string
  outcome: string
  /** How long it took; null while it lasts, and for what takes no time. */
  seconds: number | null
}

/** Marks of every run, which its phases tell already. */
const ORDINARY = new Set(['deployed', 'ready', 'stopped'])
const ICONS: Record<string, IconName> = {
  kill: 'cancel',
  stop: 'cancel',
  start: 'play',
  restart: 'retry',
  pause: 'pause',
  resume: 'play',
  network: 'network',
  heal: 'check',
}
/** A verb that took less is a moment on a chart, and no stretch of time. */
const SHORT_SECONDS = 0.05

/** Puts beginning and end of everything together, in order of the beginnings. */
export function courseOf(marks: readonly Mark[]): CourseRow[] {
  const rows: CourseRow[] = []
  const open = new Map<string, CourseRow>()
  for (const mark of marks) {
    if (ORDINARY.has(mark.kind)) continue
    const row = mark.kind.startsWith('fault') ? fault(mark, open) : event(mark, open)
    if (row) rows.push(row)
  }
  return rows
}

/** A row as a chart shows it. */
export function momentOf(row: CourseRow): Moment {
  const moment = { at_seconds: row.at_seconds, label: row.what, tone: row.tone }
  if (row.seconds === null || row.seconds < SHORT_SECONDS) return moment
  return { ...moment, until_seconds: row.at_seconds + row.seconds }
}

/** Verbs are done one after the other: what ends belongs to the one begun last. */
function fault(mark: Mark, open: Map<string, CourseRow>): CourseRow | null {
  const begun = open.get('fault')
  if (mark.kind === 'fault') {
    const row: CourseRow = {
      at_seconds: mark.at_seconds,
      tone: 'fault',
      icon: ICONS[mark.label.split(' ')[0] ?? ''] ?? 'caution',
      what: mark.label,
      outcome: 'under way',
      seconds: null,
    }
    open.set('fault', row)
    return row
  }
  open.delete('fault')
  const failed = mark.kind === 'fault_failed'
  if (begun) {
    begun.outcome = mark.label.startsWith(`${begun.what}: `) ? mark.label.slice(begun.what.length + 2) : mark.label
    begun.seconds = mark.at_seconds - begun.at_seconds
    if (failed) begun.tone = 'failed'
    return null
  }
  // Never begun: the label has the verb and the reason.
  const [what = mark.label, ...why] = mark.label.split(': ')
  return { at_seconds: mark.at_seconds, tone: 'failed', icon: 'caution', what, outcome: why.join(': '), seconds: null }
}

function event(mark: Mark, open: Map<string, CourseRow>): CourseRow | null {
  const what = (mark.label || mark.kind.replaceAll('_', ' ')).replace(/ (began|ended)$/, '')
  if (mark.kind.endsWith('_ended')) {
    const begun = open.get(what)
    open.delete(what)
    if (begun) {
      begun.outcome = 'ended'
      begun.seconds = mark.at_seconds - begun.at_seconds
      return null
    }
  }
  const lasting = mark.kind.endsWith('_began')
  const trouble = mark.kind.endsWith('_failed') || mark.kind === 'system_ended'
  const told = trouble || mark.kind === 'not_told'
  const row: CourseRow = {
    at_seconds: mark.at_seconds,
    tone: trouble ? 'failed' : 'event',
    icon: trouble ? 'caution' : 'info',
    what: told ? mark.kind.replaceAll('_', ' ') : what,
    outcome: told ? mark.label : lasting ? 'under way' : '',
    seconds: null,
  }
  if (lasting) open.set(what, row)
  return row
}
