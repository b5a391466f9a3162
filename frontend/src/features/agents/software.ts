import type { Agent } from '@/api'

type Software = Agent['software']
type Update = NonNullable<Software['update']>

/** An agent's program beside the platform's, in a few words. */
export function softwareLine(agent: Pick<Agent, 'agent_version' | 'software'>): string {
  const { platform_version: platform, standing } = agent.software
  const has = agent.agent_version || 'no version told'
  switch (standing) {
    case 'behind':
      return `${has}, behind ${platform}`
    case 'too_old':
      return `${has}, too old for ${platform}`
    case 'newer':
      return `${has}, newer than ${platform}`
    default:
      return has
  }
}

/** Whether an agent's program is one to look at. */
export function isApart(agent: Pick<Agent, 'software'>): boolean {
  return ['behind', 'too_old', 'newer'].includes(agent.software.standing)
}

const states: Record<Update['state'], (update: Update) => string> = {
  wanted: (update) => `asked for ${update.version}; the agent has not begun yet`,
  installing: (update) => `installing ${update.version} beside ${update.before}`,
  starting: (update) => `starting ${update.version}; ${update.before} comes back should it not come up`,
  done: (update) => `brought up from ${update.before} to ${update.version}`,
  failed: (update) => `${update.version} was not installed, and nothing was changed`,
  returned: (update) => `${update.version} did not come up; ${update.before} runs again`,
}

/** What became of an agent's latest update. */
export function updateLine(update: Update): string {
  return states[update.state](update)
}

/** Whether an update has ended otherwise than it should. */
export function hasFailed(update: Update): boolean {
  return update.state === 'failed' || update.state === 'returned'
}

/** Whether an update is under way. */
export function isUnderWay(update: Update): boolean {
  return ['wanted', 'installing', 'starting'].includes(update.state)
}

/** How many machines' programs are apart from the platform's; empty: none is. */
export function behindLine(agents: Pick<Agent, 'software' | 'status'>[]): string {
  const present = agents.filter((agent) => agent.status !== 'revoked')
  const count = present.filter(isApart).length
  const platform = present[0]?.software.platform_version
  if (!count || !platform) return ''
  const all = count === present.length ? 'All' : `${count} of ${present.length}`
  const verb = count === 1 && all !== 'All' ? 'has' : 'have'
  return `${all} ${verb} another version than this platform (${platform}); the page of each says what to do.`
}
