import { describe, expect, it } from 'vitest'

import { dayBegins, readField } from '@/ui'

import { CAMPAIGN_FIELDS, campaignQuery, STATE_OPTIONS, VERDICT_OPTIONS, type CampaignFilterValues } from './filters'

/** Values as they are read from an address. */
function valuesOf(query: Record<string, string>): CampaignFilterValues {
  const read = Object.entries(CAMPAIGN_FIELDS).map(([name, field]) => [name, readField(field as never, query, name)])
  return Object.fromEntries(read) as CampaignFilterValues
}
const asked = (query: Record<string, string>) =>
  Object.fromEntries(Object.entries(campaignQuery(valuesOf(query))).filter(([, value]) => value !== undefined))

describe('what a list of campaigns is narrowed to', () => {
  it('is nothing while the address says nothing', () => {
    expect(asked({})).toEqual({})
  })

  it('goes from the address to the API', () => {
    const address = { q: '№ 12', experiment: 'quickstart', status: 'failed', verdict: 'none', by: 'Ada' }
    expect(asked({ ...address, branch: 'main', label: 'rack=a' })).toEqual({
      text: '№ 12',
      experiment: 'quickstart',
      status: 'failed',
      verdict: 'none',
      requested_by: 'Ada',
      branch: 'main',
      label: 'rack=a',
    })
  })

  it('holds both days, the last one to its end', () => {
    expect(asked({ from: '2026-11-01', to: '2026-11-30' })).toEqual({
      since: dayBegins('2026-11-01'),
      until: dayBegins('2026-12-01'),
    })
  })

  it('leaves out what makes no sense', () => {
    expect(asked({ status: 'gone', verdict: '?', label: 'rack', from: 'soon' })).toEqual({})
  })

  it('has a word for every choice', () => {
    for (const option of [...STATE_OPTIONS, ...VERDICT_OPTIONS]) expect(option.label).not.toBe(option.value)
  })
})
