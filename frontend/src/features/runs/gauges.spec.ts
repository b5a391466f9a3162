import { describe, expect, it } from 'vitest'

import type { Gauge } from '@/api'
import type { Palette } from '@/charts'

import { BYTES_A_SECOND, choosable, firstGauge, formatOf, gaugeLine, totalsText, trafficLines } from './gauges'

const plain = new Proxy({} as Palette, { get: (_, name) => String(name) })
const gauge = (name: string, source: Gauge['source'], values: (number | null)[], more: Partial<Gauge> = {}): Gauge => ({
  name,
  label: name,
  source,
  unit: 'number',
  values,
  per_second: null,
  total: null,
  ...more,
})
const machine = {
  member: 0,
  agent_name: 'worker',
  t: [0, 1],
  gauges: [
    gauge('system_disk_written_bytes', 'disk', [0, 2048], {
      label: 'Written to disk',
      unit: 'bytes',
      per_second: [null, 2048],
      total: 2048,
    }),
    gauge('network_sent_bytes.lo', 'network', [0, 1], { unit: 'bytes', per_second: [null, 1], total: 1 }),
    gauge('network_sent_packets.lo', 'network', [0, 1], { unit: 'packets', per_second: [null, 1], total: 1 }),
    gauge('system_open_files', 'machine', [4, 5]),
    gauge('connected_clients', 'system', [8, 8]),
    gauge('used_memory', 'system', [5e6, 6e6], { unit: 'bytes' }),
    gauge('gone', 'system', [null, null]),
  ],
}

describe('traffic', () => {
  it('is drawn a second, in bytes, disks apart from networks', () => {
    const [line, ...others] = trafficLines(machine, 'disk', plain)
    expect(others).toEqual([])
    expect(line).toMatchObject({ name: 'Written to disk', times: [0, 1], values: [null, 2048] })
    expect(trafficLines(machine, 'network', plain).map(({ name }) => name)).toEqual(['network_sent_bytes.lo'])
    expect(BYTES_A_SECOND.write(2048)).toBe('2.00 KiB/s')
  })
  it('has its total in words', () => {
    expect(totalsText(machine, 'disk')).toBe('Written to disk 2.00 KiB')
  })
})

describe('gauges', () => {
  it('are the system’s and the machine’s; the first that moves is shown first', () => {
    expect(choosable(machine).map(({ name }) => name)).not.toContain('network_sent_bytes.lo')
    expect(firstGauge(machine)).toBe('used_memory')
    expect(firstGauge({ ...machine, gauges: [] })).toBe('')
  })
  it('have the unit of their name', () => {
    expect(formatOf({ unit: 'bytes' }).write(1024)).toBe('1.00 KiB')
    expect(formatOf({ unit: 'percent' }).write(40)).toBe('40 %')
    expect(formatOf({ unit: 'number' }).write(1.2345)).toBe('1.23')
  })
  it('of which nothing is known are no line', () => {
    expect(gaugeLine(machine, 'gone', plain)).toEqual([])
    expect(gaugeLine(machine, 'used_memory', plain)[0]?.values).toEqual([5e6, 6e6])
  })
})
