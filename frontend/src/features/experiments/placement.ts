import { plural } from '@/ui'

import { wordOf } from './lists'

type Mapping = Record<string, unknown>

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {}
}

function machinesOf(part: unknown): number {
  const given = mapping(part)['machines']
  return typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : 1
}

/**
 * What a placement comes to, as one sentence; for one machine what that costs.
 *
 * @param placement as the document has it, which may be anything.
 */
export function spreadInWords(placement: unknown): string {
  const wanted = mapping(placement)
  const servers = machinesOf(wanted['servers'])
  const drivers = machinesOf(wanted['drivers'])
  const apart = wordOf(wanted['apart'], 'no')
  if (apart === 'no' && servers === 1 && drivers === 1) {
    return (
      'One machine does all: the load is made beside the system and takes from it what it needs, ' +
      'which every figure then says.'
    )
  }
  const load = `${plural(drivers, 'machine')} ${drivers === 1 ? 'makes' : 'make'} the load`
  const nodes = `${plural(servers, 'machine')} ${servers === 1 ? 'holds' : 'hold'} the nodes`
  if (apart === 'required') return `${load}, ${nodes}; a run waits for ${plural(servers + drivers, 'free agent')}.`
  if (apart === 'preferred') return `${load}, ${nodes}; a machine does both when there are fewer agents.`
  return `${load}, ${nodes}; a machine may do both.`
}
