import { describe, expect, it } from 'vitest'

import { useDraft } from './draft'
import { changedTo, scenarioOf, SCENARIOS, searches } from './scenarios'

/** What the form writes when another scenario is chosen. */
function chosen(yaml: string, ...scenarios: Parameters<typeof changedTo>[0][]): string {
  const draft = useDraft(yaml)
  for (const next of scenarios)
    for (const [key, value] of Object.entries(changedTo(next, draft.document.value ?? {}))) draft.set([key], value)
  return draft.text.value
}

const FIXED = 'slug: mine\nload_levels:\n  - { model: closed, clients: 4 } # four\n'

describe('the scenario of a document', () => {
  it('is fixed where none is said, or one that the form does not know', () => {
    expect(scenarioOf(null)).toBe('fixed')
    expect(scenarioOf({ scenario: 'tomorrow' })).toBe('fixed')
    expect(scenarioOf({ scenario: 'sweep' })).toBe('sweep')
    expect(SCENARIOS.filter(({ value }) => searches(value)).map(({ value }) => value)).toEqual(['sweep', 'calibrate'])
  })

  it('brings what it cannot be without, and takes along what belonged to another', () => {
    expect(chosen(FIXED, 'sweep')).toBe(`${FIXED}scenario: sweep\nsweep:\n  to: 64\n`)
    expect(chosen(FIXED, 'sweep', 'calibrate')).toBe(
      `${FIXED}scenario: calibrate\nlatency_envelope:\n  percentile: 99\n  limit_us: 1000\n`,
    )
    expect(chosen(FIXED, 'sweep', 'fixed')).toBe(FIXED)
  })

  it('keeps an envelope that was there, and an end that somebody wrote', () => {
    const own = `${FIXED}latency_envelope: { percentile: 95, limit_us: 50 }\n`
    expect(chosen(own, 'calibrate')).toBe(`${own}scenario: calibrate\n`)
    const swept = `${FIXED}scenario: sweep\nsweep:\n  to: 12\n`
    expect(chosen(swept, 'sweep')).toBe(swept)
  })

  it('ends above where it begins', () => {
    const rate = 'load_levels:\n  - { model: open, rate_per_second: 1000 }\n'
    expect(chosen(rate, 'sweep')).toContain('to: 32000')
  })
})
