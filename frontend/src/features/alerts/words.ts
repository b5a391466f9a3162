import { figureOf, type Alert, type AlertChange, type AlertEvent, type AlertMember, type AlertState } from '@/api'
import { BY_SCALE, formatSpread, hasWords, numbered, plural, type Tone } from '@/ui'

import { STATES } from './states'

/** A figure of a metric with its unit. */
export function written(metric: string, value: number): string {
  const shown = BY_SCALE[figureOf(metric)?.scale ?? 'rate'](value)
  return [shown.value, shown.unit].filter(Boolean).join(' ')
}

/** A figure's name; its key where it has none. */
export function named(metric: string): string {
  return figureOf(metric)?.label ?? metric
}

/** The colour of a change: worse is red, better is green; blue, where nothing in the figures says. */
export function toneOf(change: { better: boolean | null }): Tone {
  return change.better === null ? 'info' : change.better ? 'good' : 'bad'
}

/** What was there before a change and after it: levels, or how far figures scatter around one. */
export function sidesOf(kind: AlertChange['kind'], member: AlertMember): { before: string; after: string } {
  const write = kind === 'spread' ? formatSpread : (value: number) => written(member.metric, value)
  return { before: write(member.before), after: write(member.after) }
}

/** Where a change is seen. */
export function placeOf(member: AlertMember): string {
  return `${member.workload}, ${member.load_level.label}`
}

/** What stands under an alert's title in the list. */
export function subtitle(alert: Alert): string {
  const { change, missed } = alert
  if (change) {
    const others = change.downstream.length
    const more = others ? ` · and ${plural(others, 'other')}` : ''
    return `${numbered(change.campaign_number)}${more} · ${alert.experiment?.name ?? ''}`
  }
  if (!missed) return ''
  return alert.ended_at ? 'over: the next one worked' : missed.reason
}

/** Whether an alert has all words of a search, wherever they stand. */
export function matches(alert: Alert, search: string): boolean {
  const told = [
    alert.title,
    alert.experiment?.name,
    alert.agent?.name,
    alert.note,
    alert.assignee?.name,
    STATES[alert.state].label,
    ...(alert.change
      ? [alert.change.lead, ...alert.change.downstream].map((one) => `${named(one.metric)} ${placeOf(one)}`)
      : []),
  ]
  return hasWords(told, search)
}

const FIELDS: Record<string, string> = { due_on: 'due date', downstream_of_id: 'explained by' }

function worded(field: string, value: unknown): string {
  if (value === null || value === '' || value === undefined) return 'nothing'
  if (typeof value !== 'string') return JSON.stringify(value)
  return (field === 'state' && STATES[value as AlertState]?.label.toLowerCase()) || value
}

const KINDS: Record<AlertEvent['kind'], string> = {
  raised: 'Raised',
  triaged: 'Triaged',
  repeated: 'Happened again',
  reopened: 'Reopened',
  explained: 'Explained by another one',
  ended: 'Over by itself',
}

/** A line of history: what happened, and what it changed. */
export function told(event: AlertEvent): { what: string; changes: string[] } {
  const changes = Object.entries(event.changes)
    .filter(([field]) => field !== 'downstream_of_id')
    .map(([field, [before, after]]) => `${FIELDS[field] ?? field}: ${worded(field, before)} → ${worded(field, after)}`)
  return { what: KINDS[event.kind], changes }
}
