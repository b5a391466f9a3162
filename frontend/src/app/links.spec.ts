import { describe, expect, it } from 'vitest'

const sources = import.meta.glob<string>('/src/**/*.vue', { query: '?raw', import: 'default', eager: true })
const OURS = [
  '`${factor.passkeys_at}/settings?tab=account`', // the platform's own name
  'caveat.help', // a page of our documentation
  'fileAddress(run.id, row)', // a download from here
  'begun.qr_code', // a picture from here
  'source', // of UiDisclaimer, a page of our documentation
  'address', // of UiLink, looked at there
  'page(git.commit_url) ?? undefined', // of UiCommit, looked at there
  'page(git.pull_request_url) ?? undefined',
]

describe('addresses that others gave', () => {
  it('are linked by the one component that looks at them', () => {
    const bound = Object.values(sources).flatMap((text) =>
      [...text.matchAll(/\s(?::|v-bind:)(?:href|src|action|formaction)="([^"]+)"/g)].map((found) => found[1] ?? ''),
    )
    expect(bound.length).toBeGreaterThan(4)
    expect(bound.filter((one) => !OURS.includes(one))).toEqual([])
  })
})
