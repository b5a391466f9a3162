import type { System } from '@/api'

import { unlessSaid } from './unlessSaid'

type Item = Record<string, unknown>

/** What each verb does, in the words of the form. */
export const VERBS: Readonly<Record<string, string>> = {
  kill: 'kill: end it at once',
  stop: 'stop: end it in order',
  start: 'start: bring it back with its data',
  restart: 'restart: stop and start',
  replace: 'replace: put an empty one in its place',
  remove: 'remove: have it leave for good',
  pause: 'pause: freeze it',
  resume: 'resume: let it go on',
  network: 'network: make it worse',
  heal: 'heal: mend the network',
}

/** The targets of a document beside their systems; a system that is not known is left out. */
export function targetsOf(document: Item | null, systems: readonly System[]): { target: Item; system: System }[] {
  const targets = Array.isArray(document?.['targets']) ? (document['targets'] as Item[]) : []
  return targets.flatMap((target) => {
    const system = systems.find((one) => one.id === target?.['system'])
    return system ? [{ target, system }] : []
  })
}

/** The verbs that every target bears, in the order of the protocol. */
export function commonVerbs(targets: readonly { target: Item; system: System }[]): string[] {
  return Object.keys(VERBS).filter((verb) =>
    targets.every(({ target, system }) => isOurs(target) && (system.faults as readonly string[]).includes(verb)),
  )
}

/** Why nothing can be done to a target, or not all; empty when all can. */
export function limitsOf(targets: readonly { target: Item; system: System }[]): string[] {
  const reasons = targets.flatMap(({ target, system }) => {
    if (!isOurs(target))
      return [
        `${system.name} as ${deploymentOf(target).replace('_', ' ')}: ` + 'its nodes are not the agent’s to break.',
      ]
    const missing = Object.keys(VERBS).filter((verb) => !(system.faults as readonly string[]).includes(verb))
    if (missing.length === Object.keys(VERBS).length) return [`${system.name} has no faults.`]
    return missing.length ? [`${system.name} cannot: ${missing.join(', ')}.`] : []
  })
  return [...new Set(reasons)]
}

/** Why a verb makes no sense where it stands, whatever the server will say of it; undefined: it does. */
export function objectionTo(
  items: readonly Item[],
  index: number,
  targets: readonly { target: Item; system: System }[],
): string | undefined {
  const verb = items[index]?.['verb']
  const node = nodeOf(items[index])
  const before = items.slice(0, index).filter((one) => nodeOf(one) === node)
  if (before.some((one) => one['verb'] === 'remove')) return `Node ${node} has been removed before.`
  if (verb !== 'replace' && verb !== 'remove') return undefined
  const down = ['kill', 'stop'].includes(String(before.at(-1)?.['verb']))
  const removed = items.slice(0, index).filter((one) => one['verb'] === 'remove').length
  for (const { target, system } of targets) {
    const { nodes, copies } = sizeOf(target)
    if (copies < 2 && (verb === 'replace' || down))
      return `${system.name} keeps one copy of each record: node ${node}’s would be lost.`
    if (verb === 'remove' && nodes - removed <= copies)
      return `${system.name} would have too few nodes for ${copies} ${copies === 1 ? 'copy' : 'copies'} of each record.`
  }
  return undefined
}

/** The most nodes that every target has. */
export function fewestNodes(targets: readonly { target: Item }[]): number {
  const counts = targets.map(({ target }) => sizeOf(target).nodes)
  return counts.length ? Math.min(...counts) : 1
}

/** The next fault of a list: the counterpart of the last one, a while after it. */
export function nextFault(items: readonly Item[], verbs: readonly string[]): Item {
  const last = items.at(-1)
  const time = typeof last?.['at_seconds'] === 'number' ? last['at_seconds'] : 0
  const counterparts: Record<string, string> = { kill: 'start', stop: 'start', pause: 'resume', network: 'heal' }
  const wanted = counterparts[String(last?.['verb'])]
  const verb = wanted && verbs.includes(wanted) ? wanted : (verbs[0] ?? 'kill')
  return withVerb({ at_seconds: time + 2, verb, ...(last?.['node'] ? { node: last['node'] } : {}) }, verb)
}

/** A fault with another verb; network conditions belong to `network` alone. */
export function withVerb(fault: Item, verb: string): Item {
  const rest = Object.fromEntries(Object.entries(fault).filter(([key]) => key !== 'network'))
  return verb === 'network' ? { ...rest, verb, network: fault['network'] ?? { delay_ms: 20 } } : { ...rest, verb }
}

function nodeOf(fault: Item | undefined): number {
  return typeof fault?.['node'] === 'number' ? fault['node'] : 1
}

function sizeOf(target: Item): { nodes: number; copies: number } {
  const topology = target['topology'] as Item | undefined
  const told = (name: string) => (typeof topology?.[name] === 'number' ? topology[name] : 1)
  return { nodes: told('nodes'), copies: told('replication_factor') }
}

function deploymentOf(target: Item): string {
  return String(target['deployment'] ?? unlessSaid(['targets', 0, 'deployment']))
}

function isOurs(target: Item): boolean {
  return ['process', 'docker'].includes(deploymentOf(target))
}
