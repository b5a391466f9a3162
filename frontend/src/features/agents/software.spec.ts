import { describe, expect, it } from 'vitest'

import type { Agent } from '@/api'

import { behindLine, hasFailed, isUnderWay, softwareLine, updateLine } from './software'

type Standing = Agent['software']['standing']

function agent(standing: Standing, version = '0.1.0'): Pick<Agent, 'agent_version' | 'software' | 'status'> {
  return {
    agent_version: version,
    status: 'online',
    software: { platform_version: '0.3.0', standing, cannot_update: null, update: null },
  }
}

const update = {
  id: 'u',
  state: 'returned' as const,
  version: '0.3.0',
  before: '0.1.0',
  asked_by: 'Ada',
  asked_at: '2026-11-27T22:00:00Z',
  changed_at: '2026-11-27T22:01:00Z',
  reason: 'its new version ended with status 2',
}

describe('the program of an agent', () => {
  it('says how it stands beside the platform’s', () => {
    expect(softwareLine(agent('behind'))).toBe('0.1.0, behind 0.3.0')
    expect(softwareLine(agent('newer', '0.9.0'))).toBe('0.9.0, newer than 0.3.0')
    expect(softwareLine(agent('too_old'))).toBe('0.1.0, too old for 0.3.0')
    expect(softwareLine(agent('current', '0.3.0'))).toBe('0.3.0')
    expect(softwareLine(agent('unknown', ''))).toBe('no version told')
  })

  it('counts who is behind, and says nothing where nobody is', () => {
    expect(behindLine([agent('current')])).toBe('')
    expect(behindLine([agent('behind'), agent('current')])).toContain('1 of 2 has')
    expect(behindLine([agent('behind'), agent('too_old')])).toContain('All have')
    expect(behindLine([{ ...agent('behind'), status: 'revoked' }])).toBe('')
  })

  it('tells what became of an update', () => {
    expect(updateLine(update)).toBe('0.3.0 did not come up; 0.1.0 runs again')
    expect(hasFailed(update)).toBe(true)
    expect(isUnderWay(update)).toBe(false)
    expect(isUnderWay({ ...update, state: 'installing' })).toBe(true)
    expect(hasFailed({ ...update, state: 'done' })).toBe(false)
  })
})
