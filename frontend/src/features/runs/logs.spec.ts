import { describe, expect, it } from 'vitest'

import type { Run } from '@/api'

import { grown, logChoices, MOST_SHOWN, NOTHING_READ } from './logs'

const member = (index: number, name: string, streams: string[]) =>
  ({ index, agent: { id: name, name }, log_streams: streams }) as unknown as Run['members'][number]

describe('logs of a run', () => {
  it('names the machine where several took part', () => {
    const one = { members: [member(0, 'left', ['attempt', 'driver'])], log_streams: [] }
    expect(logChoices(one).map((each) => each.label)).toEqual(['attempt', 'driver'])
    const two = { members: [member(0, 'left', ['redis']), member(1, 'right', ['driver'])], log_streams: [] }
    expect(logChoices(two)).toEqual([
      { value: '0/redis', label: 'redis on left', member: 0, stream: 'redis' },
      { value: '1/driver', label: 'driver on right', member: 1, stream: 'driver' },
    ])
  })

  it('adds what came since', () => {
    const first = grown(NOTHING_READ, 'one\n', 4)
    expect(grown(first, 'two\n', 8)).toEqual({ text: 'one\ntwo\n', next: 8, cut: false })
    expect(grown(first, '', 4)).toEqual(first)
  })

  it('shows the end of a long one, from the begin of a line', () => {
    const line = `${'x'.repeat(99)}\n`
    const long = grown(NOTHING_READ, line.repeat(3000) + 'the end\n', 300_008)
    expect(long.cut).toBe(true)
    expect(long.next).toBe(300_008)
    expect(long.text.length).toBeLessThanOrEqual(MOST_SHOWN)
    expect(long.text.startsWith('xxx')).toBe(true)
    expect(long.text.endsWith('the end\n')).toBe(true)
    expect(grown(long, '', 300_008).cut).toBe(true)
  })
})
