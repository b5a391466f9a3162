import type { Run } from '@/api'

type Link = Run['chain'][number]

export interface LinkRow {
  /** From 1. */
  place: number
  link: Link
  shown: boolean
  /** What is to be said of it while it has no figures. */
  state: string
}

/** How many links of a chain have begun, by the phases that their attempt entered. */
export function begunLinks(timeline: Run['timeline']): number {
  const phases = timeline.filter(({ kind, label }) => kind === 'phase' && ['warmup', 'measure'].includes(label))
  // A link is a warm-up, if it has one, and a measured phase.
  return phases.filter(({ label }, at) => label === 'warmup' || phases[at - 1]?.label !== 'warmup').length
}

/** The phases of a run's chain in their order, each with what is known of it. */
export function linkRows(run: Run): LinkRow[] {
  const leader = run.chain[0]
  const underWay = leader !== undefined && ['running', 'settling'].includes(leader.status)
  // Only the first run's timeline tells how far the attempt is that measures them all.
  const begun = underWay && run.id === leader.id ? begunLinks(run.timeline) : null
  return run.chain.map((link, at) => ({
    place: at + 1,
    link,
    shown: link.id === run.id,
    state: stateOf(link, at, begun),
  }))
}

function stateOf(link: Link, at: number, begun: number | null): string {
  if (link.summary) return ''
  if (begun === null || !['queued', 'running', 'settling'].includes(link.status)) return link.status
  if (at < begun - 1) return 'measured'
  return at === Math.max(0, begun - 1) ? 'under way' : 'to come'
}

/** The chain in a sentence: what was before, and what follows. */
export function chainSentence(run: Run): string {
  const place = run.chain.findIndex((link) => link.id === run.id)
  const before = run.chain.slice(0, place).map((link) => link.cell.workload)
  const count = `Phase ${place + 1} of ${run.chain.length} on one system, loaded once`
  if (!before.length) return `${count}: the first, on the data as it was loaded.`
  return `${count}: on the data as ${before.join(' and then ')} left it.`
}
