/** What stands along the bottom of a history. */
export type Along = 'date' | 'campaign' | 'version' | 'commit'

/** A place on the axis of a history: a campaign, or a date on which there was none. */
export interface Slot {
  at: string
  /** `№ 41`; empty where there was no campaign. */
  campaign: string
  version: string | null
  commit: string | null
}

/** Names of the axes. */
export const AXIS_NAMES: Record<Along, string> = {
  date: 'date of the campaign',
  campaign: 'campaign',
  version: 'version, where it begins',
  commit: 'commit',
}

/** As many labels as a phone has room for. */
const MOST_LABELS = 7
const SHORT = 7

/** Slots in order of time, each instant once. */
export function slotsOf(some: readonly Slot[]): Slot[] {
  const byTime = new Map<string, Slot>()
  for (const slot of some) {
    const known = byTime.get(slot.at)
    if (!known || (!known.campaign && slot.campaign)) byTime.set(slot.at, slot)
  }
  return [...byTime.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** Which slots are labelled, by their index, and with what: only where a point is, never between. */
export function slotLabels(slots: readonly Slot[], along: Exclude<Along, 'date'>): Map<number, string> {
  const every = Math.max(1, Math.ceil(slots.length / MOST_LABELS))
  const labels = new Map<number, string>()
  if (along === 'version') {
    let last: string | null = null
    let free = 0
    slots.forEach((slot, index) => {
      if (slot.version === null || slot.version === last) return
      last = slot.version
      if (index < free) return
      labels.set(index, slot.version)
      free = index + every
    })
    return labels
  }
  for (let index = 0; index < slots.length; index += every) {
    const slot = slots[index]
    const text = along === 'commit' ? slot?.commit?.slice(0, SHORT) : slot?.campaign
    labels.set(index, text || '–')
  }
  return labels
}
