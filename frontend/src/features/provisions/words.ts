import type { Provision, ProvisionEstimate } from '@/api'
import { formatDuration, plural } from '@/ui'

const money = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

function amount(cost: { amount: number; currency: string } | null | undefined): string {
  return cost ? `${money.format(cost.amount)} ${cost.currency}` : ''
}

/** What is going to be made, and what it costs at most. */
export function estimateInWords(estimate: ProvisionEstimate): string {
  const made = `${plural(estimate.machines, 'machine')} (${estimate.machine}) for each campaign`
  const until = `gone after ${formatDuration(estimate.minutes * 60)} at the latest`
  const cost = estimate.at_most ? `at most ${amount(estimate.at_most)}` : 'nobody says what they cost'
  return `${made}, ${until}: ${cost}.`
}

const STATES: Record<Provision['state'], string> = {
  wanted: 'are waiting to be made',
  making: 'are being made',
  made: 'are there',
  ending: 'are being ended',
  ended: 'are gone',
  failed: 'could not be made',
}

/** How a campaign's own machines are doing. */
export function provisionInWords(found: Provision): string {
  const state = `${plural(found.machines, 'machine')} (${found.machine}) ${STATES[found.state]}`
  const cost = found.so_far ? `; ${amount(found.so_far)} so far, ${amount(found.at_most)} at most` : ''
  const spent = found.so_far ? `; they cost ${amount(found.so_far)}` : ''
  return `${state}${found.ended_at ? spent : cost}.`
}
