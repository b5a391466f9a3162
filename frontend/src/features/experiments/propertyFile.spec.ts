import { describe, expect, it } from 'vitest'

import { linesOf, MOST_BYTES, summaryOf, textOf, troubleOf, type WorkloadFromFile } from './propertyFile'

const found: WorkloadFromFile = {
  workload: { name: 'w' },
  load_level: { model: 'closed', clients: 4 },
  phases: { measure_operations: 500, measure_seconds: 3600 },
  targets: [],
  told: [
    { property: 'exporter', severity: 'note', message: 'has no effect', line: 7 },
    { property: 'redis.host', severity: 'caution', message: 'is not taken', line: 8 },
  ],
}

describe('a property file', () => {
  it('is read byte by byte, as Java does, and refused where it is too large', () => {
    expect(textOf(new Uint8Array([0x61, 0x80, 0xc3, 0xa9]).buffer)).toBe('a\u0080\u00c3\u00a9')
    expect(() => textOf(new ArrayBuffer(MOST_BYTES + 1))).toThrow('at most 256 KiB')
  })

  it('says what became of it, and what was not taken', () => {
    expect(summaryOf('w', found)).toBe(
      'w is a new workload. What it says of load and length is not taken: ' +
        'model closed, clients 4; 500 operations; 3600 s at most.',
    )
    expect(summaryOf('w', { ...found, workload: null })).toBe('w was not taken:')
  })

  it('tells what is worse first', () => {
    expect(linesOf(found).map((one) => [one.line, one.name])).toEqual([
      [8, 'redis.host'],
      [7, 'exporter'],
    ])
    expect(troubleOf(new Error('away'))).toEqual([{ line: null, name: '', message: 'away' }])
  })
})
