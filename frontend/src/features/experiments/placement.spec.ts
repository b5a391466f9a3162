import { describe, expect, it } from 'vitest'

import { spreadInWords } from './placement'

describe('a placement in words', () => {
  it('says what one machine for all means', () => {
    expect(spreadInWords(undefined)).toMatch(/^One machine does all/)
    expect(spreadInWords({ labels: { site: 'lab' } })).toMatch(/^One machine does all/)
  })

  it('counts the agents that a run waits for', () => {
    expect(spreadInWords({ servers: { machines: 3 }, drivers: { machines: 2 }, apart: 'required' })).toBe(
      '2 machines make the load, 3 machines hold the nodes; a run waits for 5 free agents.',
    )
  })

  it('says that one agent may be asked for both', () => {
    expect(spreadInWords({ servers: { machines: 3 } })).toBe(
      '1 machine makes the load, 3 machines hold the nodes; a machine may do both.',
    )
    expect(spreadInWords({ apart: 'preferred' })).toContain('when there are fewer agents')
  })

  it('takes nothing for granted while somebody types', () => {
    expect(spreadInWords({ servers: { machines: 'x' }, drivers: null })).toMatch(/^One machine does all/)
  })
})
