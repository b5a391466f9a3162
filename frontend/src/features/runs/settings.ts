import type { Setting } from '@/api'

/** Who set a value, in words; those that are not here stand for themselves. */
const SET_BY: Partial<Record<Setting['source'], string>> = {
  default: 'vendor',
  place: 'plugin: its place',
  system: 'follows from others',
  operator: 'whoever set it up',
  unknown: 'not known',
}

export function setBy(setting: Setting): string {
  return SET_BY[setting.source] ?? setting.source
}

/** Worth a look: what an experiment set, and what is known to be other than the vendor ships it. */
export function differs(setting: Setting): boolean {
  return setting.source === 'experiment' || (setting.default !== null && setting.default !== setting.value)
}

/** What is said where no setting is listed; `refused`: the system kept something to itself. */
export function whyNone(settings: readonly Setting[], search: string, refused = false): string {
  if (!settings.length)
    return refused ? 'The system refused to tell its configuration.' : 'The configuration was not captured.'
  if (search) return 'No such setting among them.'
  return settings.every((setting) => setting.default === null)
    ? 'What the vendor ships is not known of a system that was there before.'
    : 'Everything is as the vendor ships it.'
}
