import type { Campaign, CampaignCell } from '@/api'
import { plural } from '@/ui'

/** Where a cell of a growing campaign stands. */
export type Course = NonNullable<CampaignCell['course']>

/** What the matrix says of a cell, in a word or three. */
export const COURSES: Record<Course, string> = {
  decided: 'decided',
  undecided: 'goes on',
  at_most: 'open, at its limit',
  hopeless: 'more would not tell',
}

/** The rule of repetitions in words: `5 to 30 repeats, until decided`; a plain count without one. */
export function repetitionsInWords(campaign: Campaign): string {
  const rule = campaign.sequential
  if (!rule) return plural(campaign.repetitions, 'repeat')
  const goal = rule.half_width_percent === null ? 'until decided' : `until ±${rule.half_width_percent} %`
  return `${rule.at_least} to ${rule.at_most} repeats, ${goal}`
}

/** Whether something is left for whom more repeats are offered. */
export function undecidedCount(campaign: Campaign): number {
  return campaign.cells.filter((cell) => cell.course !== null && cell.course !== 'decided').length
}
