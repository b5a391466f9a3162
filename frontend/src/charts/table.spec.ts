import { describe, expect, it } from 'vitest'

import { csv, fileName, leavingName, leavingTitle } from './table'

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

  it.each(['+cmd()', '-2+3+cmd()', '@SUM(A1)', ' =cmd()', '\t=cmd()', '\r=cmd()', '＝cmd()', '-cmd()'])(
    'disarms %j in names, columns and notes',
    (text) => {
      const [note, columns, row] = csv({ columns: [text], rows: [[text]] }, [`see,${text}`]).split(/\r\n(?!=)/)
      expect(columns?.replace('"', '').startsWith("'")).toBe(true)
      expect(row?.replace('"', '').startsWith("'")).toBe(true)
      expect(note).toMatch(/^# see, ?'/)
    },
  )

  it('leaves negative figures alone', () => {
    expect(csv({ columns: ['a'], rows: [['-5.2 %'], ['-3']] }, [])).toBe('a\r\n-5.2 %\r\n-3\r\n')
  })

  it('begins with what must stand beside it', () => {
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

describe('what a file is called', () => {
  const measured = { workload: 'balanced', load: '8 clients', sides: ['Redis', 'Memcached'] }

  it('says workload, load and sides', () => {
    expect(leavingTitle({ title: 'p99', unit: 'µs', measured })).toBe(
      'p99 (µs) · balanced · 8 clients · Redis, Memcached',
    )
    expect(leavingName({ title: 'p99', measured })).toBe('p99-balanced-8-clients-redis-memcached')
  })

  it('parts names that have a comma', () => {
    const sides = ['Redis, appendfsync always', 'Redis, appendfsync everysec']
    expect(leavingTitle({ title: 'p99', measured: { sides } })).toBe(
      'p99 · Redis, appendfsync always; Redis, appendfsync everysec',
    )
  })

  it('does not say twice what the title says', () => {
    expect(leavingTitle({ title: 'balanced, 8 clients', measured })).toBe('balanced, 8 clients · Redis, Memcached')
  })

  it('stays short enough for every file system', () => {
    const sides = Array.from({ length: 40 }, (_, index) => `A rather long name ${index}`)
    expect(leavingName({ title: 'p99', measured: { sides } }).length).toBeLessThanOrEqual(160)
  })
})
