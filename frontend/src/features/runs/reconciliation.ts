import type { Run } from '@/api'
import type { ChartTable } from '@/charts'
import { formatCount, formatLatency, formatRelative } from '@/ui'

/** What client and server counted of a run. */
export type Reconciliation = NonNullable<Run['reconciliation']>
export type Counted = Reconciliation['rows'][number]

const AGREES = 0.001

/** Why there is nothing to set side by side; empty: there is. */
export function whyNot(told: Reconciliation): string {
  switch (told.why_not) {
    case '':
      return ''
    case 'not told':
      return 'The server did not tell its counters, so nothing is held against the client’s.'
    case 'began anew':
      return 'The server’s counters began anew while it was measured: nothing is concluded from them.'
    default:
      return 'Not the same nodes told their counters before and after: nothing is concluded from them.'
  }
}

/** How far the server's count is from the answers: `agrees`, `+2 %`. */
export function differenceOf(row: Counted): string {
  if (row.why_not !== '' || row.difference === null) return 'not compared'
  if (Math.abs(row.difference) <= AGREES) return 'agrees'
  return formatRelative(row.difference)
}

/** Time that the server spent on one. */
export function eachOf(row: Counted): string {
  if (row.server_us === null) return 'not told'
  const { value, unit } = formatLatency(row.server_us)
  return `${value} ${unit}`
}

/** What else the server counted, in a line. */
export function besideOf(told: Reconciliation): string {
  const found: string[] = []
  if (told.hits !== null && told.misses !== null && told.hits + told.misses > 0) {
    const looked = told.hits + told.misses
    const share = ((told.hits / looked) * 100).toFixed(1).replace(/\.0$/, '')
    found.push(`${formatCount(told.hits)} of ${formatCount(looked)} keys asked for were there (${share} %)`)
  }
  for (const row of told.rows) if (row.why_not !== '') found.push(`${row.name} not compared: ${row.why_not}`)
  const others = Object.entries(told.of_others)
  if (others.length > 0) {
    const named = others.map(([name, calls]) => `${formatCount(calls)} ${name}`).join(', ')
    found.push(`commands of others: ${named}`)
  }
  return found.join('; ')
}

/** Both columns to take along, then what the server counted besides: a row each. */
export function countsTable(told: Reconciliation): ChartTable {
  if (whyNot(told) !== '') return { columns: [], rows: [] }
  const nothing = [null, null, null] as const
  const bytes: [string, number | null][] = [
    ['bytes received', told.received_bytes],
    ['bytes sent', told.sent_bytes],
    ['keys there', told.hits],
    ['keys not there', told.misses],
  ]
  return {
    columns: ['operations', 'commands', 'asked', 'answered', 'served', 'difference', 'server time each, µs', 'says'],
    rows: [
      ...told.rows.map((row) => [
        row.name,
        row.commands.join(' '),
        row.asked,
        row.answered,
        row.served,
        row.why_not === '' ? row.difference : null,
        row.server_us,
        row.says || (row.why_not && `not compared: ${row.why_not}`),
      ]),
      ...Object.entries(told.of_others).map(([name, calls]) => ['of others', name, 0, 0, calls, ...nothing]),
      ...bytes.filter(([, count]) => count !== null).map(([name, count]) => [name, '', null, null, count, ...nothing]),
    ],
  }
}
