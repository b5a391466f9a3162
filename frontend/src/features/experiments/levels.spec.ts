import { describe, expect, it } from 'vitest'

import { clientsText, isPlain, readClients, withClients } from './levels'

const closed = (clients: number) => ({ model: 'closed', clients })
const OPEN = { model: 'open', rate_per_second: 1000 }
const PIPELINED = { model: 'closed', clients: 8, pipeline: 10 }

describe('levels as numbers', () => {
  it('are those with clients alone', () => {
    expect([closed(1), OPEN, PIPELINED, { model: 'closed' }].map(isPlain)).toEqual([true, false, false, false])
    expect(clientsText([closed(1), OPEN, closed(8), PIPELINED])).toBe('1, 8')
  })

  it('are read with commas or spaces, each once', () => {
    expect(readClients('1, 8 32;8')).toEqual({ clients: [1, 8, 32], unclear: [] })
    expect(readClients('0, four, -2, 1.5, 7')).toEqual({ clients: [7], unclear: ['0', 'four', '-2', '1.5'] })
  })

  it('change where they stand, and leave the others', () => {
    expect(withClients([OPEN, closed(1), PIPELINED, closed(8)], [2, 4])).toEqual([
      OPEN,
      closed(2),
      closed(4),
      PIPELINED,
    ])
    expect(withClients([OPEN], [2])).toEqual([closed(2), OPEN])
    expect(withClients([closed(1), OPEN], [])).toEqual([OPEN])
  })
})
