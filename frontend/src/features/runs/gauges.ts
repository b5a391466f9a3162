import type { Gauge, RunGauges } from '@/api'
import type { AxisFormat, Palette, TimeLine } from '@/charts'
import { formatBytes, formatCount } from '@/ui'

import { BYTES } from './charts'

/** One machine of a run with what was sampled there. */
export type MachineGauges = RunGauges['machines'][number]

/** How bytes a second stand on an axis. */
export const BYTES_A_SECOND: AxisFormat = { name: '', write: (value) => `${BYTES.write(value)}/s`, base: 1024 }

const COUNT: AxisFormat = {
  name: '',
  write: (value) => (Number.isInteger(value) || Math.abs(value) >= 1000 ? formatCount(value) : value.toPrecision(3)),
}
const suffixed = (unit: string): AxisFormat => ({ name: '', write: (value) => `${COUNT.write(value)} ${unit}` })

/** How values of a gauge stand on an axis. */
export function formatOf(gauge: Pick<Gauge, 'unit'>): AxisFormat {
  if (gauge.unit === 'bytes') return BYTES
  if (gauge.unit === 'number') return COUNT
  return suffixed({ percent: '%', us: 'µs', ms: 'ms', seconds: 's', packets: 'packets' }[gauge.unit])
}

const colours = (palette: Palette) => [palette.ink, palette.info, palette.accent, palette.caution, palette.bad]
const DASHES = ['solid', 'dashed', 'dotted'] as const

/** Bytes a second of the system's disk traffic, or of its network by interface. */
export function trafficLines(machine: MachineGauges, source: 'disk' | 'network', palette: Palette): TimeLine[] {
  return trafficOf(machine, source).map((gauge, at) => ({
    name: gauge.label,
    colour: colours(palette)[at % 5] ?? palette.ink,
    dash: DASHES[at % DASHES.length],
    times: machine.t,
    values: gauge.per_second ?? [],
  }))
}

/** What was counted in bytes of disks or network. */
export function trafficOf(machine: MachineGauges, source: 'disk' | 'network'): Gauge[] {
  return machine.gauges.filter((one) => one.source === source && one.unit === 'bytes')
}

/** What passed in all: `Read from disk 1.20 GiB · Written to disk 3.40 GiB`. */
export function totalsText(machine: MachineGauges, source: 'disk' | 'network'): string {
  return trafficOf(machine, source)
    .map((one) => {
      const { value, unit } = formatBytes(one.total)
      return `${one.label} ${value} ${unit}`
    })
    .join(' · ')
}

/** The gauges to choose from: the system's own and the machine's, those that ever moved first. */
export function choosable(machine: MachineGauges): Gauge[] {
  return machine.gauges.filter((one) => one.source === 'system' || one.source === 'machine')
}

/** The first gauge worth a look: one of the system's that is not always 0. */
export function firstGauge(machine: MachineGauges): string {
  const own = choosable(machine)
  const moves = (one: Gauge) => new Set(one.values.filter((value) => value !== null)).size > 1
  return (own.find((one) => one.source === 'system' && moves(one)) ?? own[0])?.name ?? ''
}

/** One gauge as a line. */
export function gaugeLine(machine: MachineGauges, name: string, palette: Palette): TimeLine[] {
  const gauge = machine.gauges.find((one) => one.name === name)
  if (!gauge || gauge.values.every((value) => value === null)) return []
  return [{ name: gauge.label, colour: palette.ink, times: machine.t, values: gauge.values }]
}
