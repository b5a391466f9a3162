import { describe, expect, it } from 'vitest'

import { figureNamed, lineProblem, pastedLines, typedResults } from './typed'

describe('figureNamed', () => {
  it.each([
    ['p99', 'p99_us'],
    ['P99.9', 'p999_us'],
    ['95th percentile', 'p95_us'],
    ['Average latency', 'mean_us'],
    ['QPS', 'throughput'],
    ['speedup', 'speedup'],
  ])('%s is %s', (said, name) => expect(figureNamed(said)).toBe(name))
})

describe('pastedLines', () => {
  it('reads a table of a spreadsheet, with or without its heading', () => {
    const rows = 'Redis\treads\t32\tp99\t0.687 ms\tTable 2\nRedis\treads\t32\tthroughput\t3.5 M ops/s'
    const found = pastedLines(rows)
    expect(found[0]).toEqual({
      side: 'Redis',
      workload: 'reads',
      clients: '32',
      figure: 'p99_us',
      printed: '0.687 ms',
      place: 'Table 2',
    })
    expect(pastedLines(`side\tworkload\tclients\tfigure\tprinted\tplace\n${rows}`)).toEqual(found)
  })
})

describe('typedResults', () => {
  const known = (value: number) => ({ value, low: value - 1, high: value + 1, unit: '', problem: '' })

  it('puts figures of one side, workload and load into one cell', () => {
    const lines = pastedLines(
      'Redis\treads\t32\tp99\t0.7 ms\nRedis\treads\t32\tthroughput\t10 ops/s\nredis!\treads\t8\tp99\t1 ms',
    )
    const results = typedResults(
      lines,
      lines.map(() => known(700)),
    )
    expect(results.sides.map((side) => side.name)).toEqual(['redis', 'redis-2'])
    expect(results.cells.map((cell) => [cell.side, cell.load.clients, cell.figures.length])).toEqual([
      ['redis', 32, 2],
      ['redis-2', 8, 1],
    ])
    expect(results.cells[0]!.figures[0]).toMatchObject({ figure: 'p99_us', low: 699, high: 701, printed: '0.7 ms' })
    expect(results.cells[0]!.load).toMatchObject({ loop: 'unknown', pipeline: null })
  })

  it('says of a line what is missing', () => {
    const [line] = pastedLines('\treads\t32\tp99\t0.7 ms')
    expect(lineProblem(line!)).toMatch(/Which system/)
    expect(lineProblem({ ...line!, side: 'a', clients: 'many' })).toMatch(/whole number/)
    expect(lineProblem({ ...line!, side: 'a' })).toBe('')
  })
})
