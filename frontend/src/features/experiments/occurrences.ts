import type { Occurrence, Schedule } from '@/api'
import { formatCount, type Tone, type IconName, type SelectOption } from '@/ui'

export type Overlap = Schedule['overlap']
export type Missed = Schedule['missed']

/** What becomes of a date while the campaign before it is under way, in the reader's words. */
export const overlapChoices: readonly SelectOption<Overlap>[] = [
  { value: 'skip', label: 'Skip the date', note: 'The campaign under way goes on; the date passes.' },
  {
    value: 'queue',
    label: 'Wait for its end',
    note: 'The new campaign starts after it. One date waits at most, the latest.',
  },
  {
    value: 'replace',
    label: 'Replace it',
    note: 'The campaign under way is cancelled in good order, and the new one starts.',
  },
]

/** What becomes of dates that pass while the platform is down. */
export const missedChoices: readonly SelectOption<Missed>[] = [
  { value: 'run_late', label: 'Start the latest one late', note: 'Once, as soon as the platform is back.' },
  { value: 'report', label: 'Only report them', note: 'The next date starts as usual.' },
]

const MANY = 1000
const wordings: Record<Occurrence['outcome'], { label: string; tone: Tone; icon?: IconName }> = {
  started: { label: 'Started', tone: 'good', icon: 'check' },
  waiting: { label: 'Waiting', tone: 'info', icon: 'pause' },
  skipped: { label: 'Skipped', tone: 'neutral' },
  missed: { label: 'Missed', tone: 'caution', icon: 'caution' },
  replaced: { label: 'Replaced', tone: 'neutral', icon: 'cancel' },
  failed: { label: 'Failed', tone: 'bad', icon: 'caution' },
}

/** What became of a date, worded and coloured. */
export function outcomeWording(outcome: Occurrence['outcome']) {
  return wordings[outcome]
}

/** How many dates a line stands for, when it is more than one. */
export function datesCount(occurrence: Pick<Occurrence, 'dates_count'>): string {
  const count = occurrence.dates_count
  if (count === 1) return ''
  return count >= MANY ? `${formatCount(count)} dates or more` : `${count} dates`
}

/** An instant as the clock on the wall of a zone shows it. */
export function onTheWall(instant: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(instant))
}
