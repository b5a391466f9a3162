import { describe, expect, it } from 'vitest'

import { datesCount, missedChoices, onTheWall, outcomeWording, overlapChoices } from './occurrences'

describe('dates of a schedule', () => {
  it('are told by the clock of their zone, summer and winter', () => {
    expect(onTheWall('2026-10-25T00:30:00Z', 'Europe/Vienna')).toContain('02:30')
    expect(onTheWall('2026-10-25T01:30:00Z', 'Europe/Vienna')).toContain('02:30')
    expect(onTheWall('2026-10-25T00:30:00Z', 'Europe/Vienna')).not.toBe(
      onTheWall('2026-10-25T01:30:00Z', 'Europe/Vienna'),
    )
  })

  it('are counted when a line stands for several', () => {
    expect(datesCount({ dates_count: 1 })).toBe('')
    expect(datesCount({ dates_count: 4 })).toBe('4 dates')
    expect(datesCount({ dates_count: 1000 })).toContain('or more')
  })

  it('have a wording each, and a failure alone is bad', () => {
    const outcomes = ['started', 'waiting', 'skipped', 'missed', 'replaced', 'failed'] as const
    expect(new Set(outcomes.map((one) => outcomeWording(one).label)).size).toBe(outcomes.length)
    expect(outcomes.filter((one) => outcomeWording(one).tone === 'bad')).toEqual(['failed'])
  })

  it('offer every policy with a word on what it does', () => {
    expect(overlapChoices.map((one) => one.value)).toEqual(['skip', 'queue', 'replace'])
    expect(missedChoices.map((one) => one.value)).toEqual(['run_late', 'report'])
    expect([...overlapChoices, ...missedChoices].every((one) => one.note)).toBe(true)
  })
})
