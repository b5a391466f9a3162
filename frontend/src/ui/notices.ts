const labels: Record<string, string> = {
  regression: 'Regression',
  campaign_done: 'Campaign done',
  campaign_failed: 'Campaign failed',
  missed_run: 'Missed run',
  agent_silent: 'Agent silent',
  agent_resting: 'Agent takes no work',
  quota: 'Quota',
  challenge: 'Challenge',
  reply: "Vendor's reply",
}

/** A kind of notices as people call it; null: a test. One that is newer than this page stands as it is. */
export function noticeLabel(kind: string | null): string {
  return kind === null ? 'Test' : (labels[kind] ?? kind.replaceAll('_', ' '))
}
