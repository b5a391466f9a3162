import { describe, expect, it } from 'vitest'

import type { Footprint } from '@/api'

import { footprintCharts, recordsWords } from './footprint'
import { COMPLETE, levels, testComparison, testEstimate } from './testComparison'

const MIB = 2 ** 20
const figure = (
  measure: Footprint['sides'][number]['figures'][number]['measure'],
  moment: Footprint['sides'][number]['figures'][number]['moment'],
  median: number,
) => ({ measure, moment, estimate: testEstimate(median) })
const found: Footprint = {
  completeness: COMPLETE,
  workload: 'reads',
  load_level: levels[0]!,
  caveats: [],
  sides: [
    {
      side: 'redis',
      machines: 2,
      records: 1000,
      records_told: true,
      figures: [
        figure('resident', 'before', MIB),
        figure('resident', 'after_load', 3 * MIB),
        figure('resident', 'peak', 4 * MIB),
        figure('resident', 'per_record', 200),
        figure('used', 'after', 2 * MIB),
      ],
    },
    {
      side: 'memcached',
      machines: 1,
      records: 500,
      records_told: false,
      figures: [figure('resident', 'before', 2 * MIB), figure('resident', 'per_record', -12)],
    },
  ],
}

describe('memory and disk by moment', () => {
  const charts = footprintCharts(found, testComparison.sides)
  const [memory, used, records] = charts

  it('is a chart for each who tells, and none of what nobody measured', () => {
    expect(charts.map(({ title }) => title)).toEqual(['Memory of the processes', 'Memory for data', 'Bytes a record'])
    expect(memory?.groups).toEqual(['before', 'after the load', 'peak'])
    expect(used?.groups).toEqual(['after the run'])
  })

  it('has a bar for each side with its repeats, and a gap where it has none', () => {
    expect(memory?.sides.map(({ key, bars }) => [key, bars.map((bar) => bar?.value ?? null)])).toEqual([
      ['redis', [MIB, 3 * MIB, 4 * MIB]],
      ['memcached', [2 * MIB, null, null]],
    ])
    expect(memory?.sides[0]?.bars[2]?.tip).toContain('sum of the peaks of 2 machines')
    expect(memory?.y.ticks.map(({ text }) => text)).toContain('2\u202fMiB')
    expect(memory?.table.rows[0]?.slice(0, 3)).toEqual(['redis', 'before', MIB])
  })

  it('says of a record who counted, and draws nothing below nothing', () => {
    expect(records?.sides.map(({ bars }) => bars[0]?.value)).toEqual([200, 0])
    expect(records?.table.rows[1]?.[2]).toBe(-12)
    expect(recordsWords(found.sides[0]!)).toBe('1\u2009000 records, as it says')
    expect(recordsWords(found.sides[1]!)).toBe('500 records, by the workload')
  })
})
