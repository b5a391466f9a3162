import type { AnswerOf } from '@/api'

import { faultsOf } from './configurationFile'

/** What a property file of YCSB's comes to. */
export type WorkloadFromFile = AnswerOf<'POST /api/v1/experiments/workload-from-file'>

/** Of a file that is larger nothing is sent: none is read. */
export const MOST_BYTES = 262_144

export interface Told {
  line: number | null
  name: string
  message: string
}

/**
 * The characters of a file as Java takes them, a byte each: ISO-8859-1, which browsers read as another.
 *
 * @throws Error in words for people, when it is too large.
 */
export function textOf(content: ArrayBuffer): string {
  if (content.byteLength > MOST_BYTES) throw new Error('The file is larger than a property file: at most 256 KiB.')
  return Array.from(new Uint8Array(content), (byte) => String.fromCharCode(byte)).join('')
}

/** What became of a file, in one sentence. */
export function summaryOf(file: string, found: WorkloadFromFile): string {
  if (!found.workload) return `${file} was not taken:`
  const load = Object.entries(found.load_level ?? {}).map(([name, value]) => `${name} ${String(value)}`)
  const phases = found.phases ?? {}
  const length = 'measure_operations' in phases ? `${String(phases['measure_operations'])} operations` : undefined
  const seconds = `${String(phases['measure_seconds'])} s at most`
  const rest = [load.join(', '), length, seconds].filter(Boolean).join('; ')
  return `${file} is a new workload. What it says of load and length is not taken: ${rest}.`
}

/** Problems first, then what surprises, then the rest. */
export function linesOf(found: WorkloadFromFile): Told[] {
  const order = ['problem', 'caution', 'note']
  return [...found.told]
    .sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity))
    .map((one) => ({ line: one.line, name: one.property, message: one.message }))
}

/** Why nothing came back. */
export function troubleOf(error: unknown): Told[] {
  return faultsOf(error).map((message) => ({ line: null, name: '', message }))
}
