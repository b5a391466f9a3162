import type { ChannelKind, DeliveryState, NoticeChannel, NoticeKind } from '@/api'
import { noticeLabel, type Tone } from '@/ui'

/** What is told of, in the order in which it is chosen from. */
const NOTES: Record<NoticeKind, string> = {
  regression: 'a series became worse, confirmed',
  campaign_done: 'it has its results',
  campaign_failed: 'it ended without a result',
  missed_run: 'a schedule started nothing',
  agent_silent: 'work waits for it, and nobody hears of it',
  agent_resting: 'its disk is full, for example',
  quota: 'a limit is near, or reached',
  challenge: 'somebody doubts a result, and how that ends',
  reply: 'a vendor said something of a result',
}
export const EVERY_KIND = Object.keys(NOTES) as readonly NoticeKind[]
export const KINDS = EVERY_KIND.map((value) => ({ value, label: noticeLabel(value), note: NOTES[value] }))

/** How a channel is reached, with what its address looks like. */
export const CHANNELS: readonly { value: ChannelKind; label: string; note: string; example: string }[] = [
  {
    value: 'webhook',
    label: 'Webhook',
    note: 'signed JSON, to a program of yours',
    example: 'https://ci.example.com/weighhouse',
  },
  { value: 'mail', label: 'Mailbox', note: 'of a team', example: 'team@example.com' },
  { value: 'slack', label: 'Slack', note: 'an incoming webhook', example: 'https://hooks.slack.com/services/…' },
  {
    value: 'teams',
    label: 'Teams',
    note: 'a workflow that takes webhooks',
    example: 'https://….logic.azure.com/workflows/…',
  },
  { value: 'discord', label: 'Discord', note: 'a webhook', example: 'https://discord.com/api/webhooks/…' },
]

/** How many kinds somebody chose, in words. */
export function kindsInWords(kinds: readonly NoticeKind[]): string {
  if (kinds.length === KINDS.length) return 'everything'
  if (kinds.length === 0) return 'nothing'
  return KINDS.filter((kind) => kinds.includes(kind.value))
    .map((kind) => kind.label.toLowerCase())
    .join(', ')
}

/** What became of a delivery, as a badge. */
export const STATES: Record<DeliveryState, { label: string; tone: Tone }> = {
  pending: { label: 'on its way', tone: 'info' },
  delivered: { label: 'delivered', tone: 'good' },
  failed: { label: 'failed', tone: 'bad' },
  dropped: { label: 'dropped', tone: 'neutral' },
}

/** Who can open what a channel's messages link to. */
export const OPEN_TO: { value: NoticeChannel['open_to']; label: string }[] = [
  { value: 'members', label: 'Members of the project, who sign in' },
  { value: 'readers', label: 'Everybody who reads it' },
]
