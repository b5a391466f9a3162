import { describe, expect, it } from 'vitest'

import { ApiProblem } from '@/api'

import { faultsOf, MOST_BYTES, summaryOf, targetOf, textOf, type TargetFromFile } from './configurationFile'

const found: TargetFromFile = {
  system: 'redis',
  file: 'redis.conf',
  parameters: { appendonly: true },
  settings: { maxclients: 20000 },
  taken: [
    { line: 1, name: 'appendonly', into: 'parameters.appendonly', value: true },
    { line: 2, name: 'maxclients', into: 'settings.maxclients', value: 20000 },
  ],
  left: [{ line: 3, name: 'port', reason: 'agent', message: 'is set by the agent: it listens' }],
}

describe('a configuration file', () => {
  it('is read as UTF-8, and refused where it is none or too large', () => {
    expect(textOf(new TextEncoder().encode('hz 10 # größer').buffer)).toBe('hz 10 # größer')
    expect(() => textOf(new Uint8Array([0x68, 0xff]).buffer)).toThrow('no UTF-8')
    expect(() => textOf(new ArrayBuffer(MOST_BYTES + 1))).toThrow('at most 1 MB')
  })

  it('becomes a target with what is in it, and nothing else', () => {
    expect(targetOf(found, 'process')).toEqual({
      name: 'redis',
      system: 'redis',
      parameters: { appendonly: true },
      settings: { maxclients: 20000 },
    })
    expect(targetOf({ ...found, system: 'rocksdb', parameters: {}, settings: {} }, 'in_process')).toEqual({
      name: 'rocksdb',
      system: 'rocksdb',
      deployment: 'in_process',
    })
  })

  it('says what became of it, and of a refusal each line', () => {
    expect(summaryOf(found)).toBe('redis.conf: 2 settings are in the new target, 1 is not:')
    expect(summaryOf({ ...found, left: [] })).toBe('redis.conf: 2 settings are in the new target.')
    const problem = new ApiProblem(422, { errors: [{ path: 'text', message: 'line 2: takes in another file' }] })
    expect(faultsOf(problem)).toEqual(['line 2: takes in another file'])
    expect(faultsOf(new Error('away'))).toEqual(['away'])
  })
})
