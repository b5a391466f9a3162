import type { Run } from '@/api'
import { plural } from '@/ui'

/** One agent's part in a run. */
export type Member = Run['members'][number]

/** What a member did, in words: `nodes 1 and 2`, `half of the load`. */
export function workOf(member: Member): string {
  const parts: string[] = []
  if (member.nodes.length > 0) parts.push(nodesInWords(member.nodes))
  if (member.share)
    parts.push(
      (member.share.of ?? 1) === 1
        ? 'all of the load'
        : `part ${(member.share.index ?? 0) + 1} of ${member.share.of} of the load`,
    )
  return parts.join(', ') || member.roles.join(' and ')
}

function nodesInWords(nodes: readonly number[]): string {
  if (nodes.length === 1) return `node ${nodes[0]}`
  return `nodes ${nodes.slice(0, -1).join(', ')} and ${nodes.at(-1)}`
}

/** How far a machine's clock was off and how well that is known, ms; empty for one that works alone. */
export function clockInWords(member: Member): string {
  if (member.clock_offset_us === null) return ''
  const off = Math.abs(member.clock_offset_us) / 1000
  const error = (member.clock_error_us ?? 0) / 1000
  const way = member.clock_offset_us >= 0 ? 'behind' : 'ahead'
  return `${off.toFixed(off < 10 ? 2 : 0)} ms ${way}, ±${error.toFixed(error < 10 ? 2 : 0)} ms`
}

/** What kind of machine it was: processors and memory, as far as it told. */
export function kindOf(member: Member): string {
  const { cores, cpu_model: model } = member.environment as { cores?: number; cpu_model?: string }
  return [model, cores === undefined ? undefined : plural(cores, 'processor')].filter(Boolean).join(', ') || 'not told'
}

/** Members on one machine: agents of their own, and the same processors under them. */
export function sharedMachines(members: readonly Member[]): Member[][] {
  const byMachine = new Map<string, Member[]>()
  for (const member of members) {
    if (!member.machine_id) continue
    byMachine.set(member.machine_id, [...(byMachine.get(member.machine_id) ?? []), member])
  }
  return [...byMachine.values()].filter((group) => group.length > 1)
}
