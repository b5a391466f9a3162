import type { RetentionPreview, RetentionRules } from '@/api'
import { formatBytes, plural } from '@/ui'

type Kind = keyof RetentionRules

/** What may be removed, and what becomes of it, in the order in which it is asked for. */
export const KINDS: readonly { of: Kind; what: keyof RetentionPreview; label: string; hint: string }[] = [
  {
    of: 'intervals_days',
    what: 'intervals',
    label: 'Intervals of long runs',
    hint: 'Then the steps that charts draw are left; runs of up to some 2,000 intervals keep theirs.',
  },
  { of: 'logs_days', what: 'logs', label: 'Logs', hint: 'Of systems, drivers and agents.' },
  { of: 'artifacts_days', what: 'artifacts', label: 'Files', hint: 'What runs left beside their figures.' },
  { of: 'events_days', what: 'events', label: 'Live events', hint: 'What was told on a campaign’s page while it ran.' },
]

export const MOST_DAYS = 36_500

/** Whether something may be kept for so long; null is for ever. */
export function isDays(days: number | null): boolean {
  return days === null || (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS)
}

/** Rules without what was left empty: that is kept for ever. */
export function rulesOf(typed: Readonly<Partial<Record<Kind, number | null>>>): RetentionRules {
  return Object.fromEntries(KINDS.flatMap(({ of }) => ((typed[of] ?? null) === null ? [] : [[of, typed[of]]])))
}

/** What a rule would remove now, in words; nothing where it is not set. */
export function removalInWords(kind: keyof RetentionPreview, preview: RetentionPreview): string {
  const found = preview[kind]
  if (typeof found !== 'object' || !('count' in found)) return ''
  if (kind === 'events') return found.count ? `${plural(found.count, 'event')} would go now` : 'nothing would go now'
  if (!found.count) return 'nothing would go now'
  const size = formatBytes(found.bytes)
  const about = kind === 'intervals' ? 'up to ' : ''
  return `${plural(found.count, 'run')} would lose ${about}${size.value} ${size.unit} now`
}
