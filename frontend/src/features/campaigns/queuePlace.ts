import type { Campaign, CampaignSummary } from '@/api'
import { plural } from '@/ui'

/** Why the next run of a campaign has no machine, as a sentence without its stop; empty where nothing is known. */
export function whyNoMachine({ waiting_for: reason }: Pick<CampaignSummary, 'waiting_for'>): string {
  if (!reason) return ''
  return reason.startsWith('waits ') ? `The next run ${reason}` : `The next run waits: ${reason}`
}

/** Where a campaign that waits for its first machine stands in the queue of its project; empty where it does not. */
export function placeInQueue({ status, ahead, waiting_for }: Campaign): string {
  if (status !== 'queued' || !ahead) return ''
  if (ahead.campaigns > 0) {
    const [comes, runs] = [ahead.campaigns === 1 ? 'comes' : 'come', plural(ahead.runs, 'run')]
    return `${plural(ahead.campaigns, 'campaign')} of this project ${comes} before it, with ${runs} still to measure.`
  }
  return waiting_for ? '' : 'Next in the queue of this project: it begins when a machine for it is free.'
}
