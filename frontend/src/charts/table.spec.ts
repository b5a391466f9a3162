import { describe, expect, it } from 'vitest'

import { csv, fileName } from './table'

describe('csv', () => {
  const table = {
    columns: ['side', 'op/s'],
    rows: [
      ['Redis, "fast"', 1200],
      ['=cmd()', null],
    ],
  }

  it('quotes what needs it, leaves missing figures empty, disarms formulas', () => {
    expect(csv(table, [])).toBe('side,op/s\r\n"Redis, ""fast""",1200\r\n\'=cmd(),\r\n')
  })

  it('begins with the disclaimers', () => {
    expect(csv(table, ['One\nmachine.']).split('\r\n')[0]).toBe('# One machine.')
  })
})

describe('fileName', () => {
  it.each([
    ['Throughput by clients', 'throughput-by-clients'],
    ['p99 (µs)', 'p99-s'],
    ['…', 'chart'],
  ])('of %s is %s', (title, name) => {
    expect(fileName(title)).toBe(name)
  })
})
