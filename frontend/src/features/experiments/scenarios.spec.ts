import { describe, expect, it } from 'vitest'

import { useDraft } from './draft'
import { changedTo, depthsOf, filledBy, fillOf, FILLS, scenarioOf, SCENARIOS, searches } from './scenarios'

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
    expect(SCENARIOS.filter(({ value }) => searches(value)).map(({ value }) => value)).toEqual([
      'sweep',
      'calibrate',
      'peak',
    ])
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

  it('fills up to something, and a ladder needs nothing written', () => {
    expect(chosen(FIXED, 'sustained')).toBe(`${FIXED}scenario: sustained\nsustained:\n  until:\n    records: 1000000\n`)
    expect(chosen(FIXED, 'peak')).toBe(`${FIXED}scenario: peak\n`)
    expect(chosen(FIXED, 'sustained', 'soak')).toBe(`${FIXED}scenario: soak\n`)
  })
})

describe('the parts of a scenario', () => {
  it('tell by what it is full, also what the YAML says', () => {
    for (const { value } of FILLS) expect(fillOf({ sustained: { until: filledBy(value) } })).toBe(value)
    expect(fillOf(null)).toBe('records')
  })

  it('are depths as they are typed; what is none is left for validation', () => {
    expect(depthsOf('2, 5 10;20')).toEqual([2, 5, 10, 20])
    expect(depthsOf('2, deep')).toEqual([2, 'deep'])
    expect(depthsOf(' ')).toBeUndefined()
  })
})
