import type { components } from '@/api/schema'

type ReadyRead = components['schemas']['ReadyRead']
type Told = Pick<ReadyRead, 'parts' | 'conditions'>
type Condition = ReadyRead['conditions'][number]

/** Something that is wrong with the platform, what that costs, and how it is mended. */
export interface Missing {
  name: string
  missing: string
  mend: string
}

/** Of each condition: what it is called on pages, the part that is away by it, and what to do about it. */
const CONDITIONS: Record<Condition['name'], { name: string; part?: string; mend: string }> = {
  'no-space': {
    name: 'No space',
    mend: 'Make room on that disk. It goes on by itself; nothing that was kept is lost.',
  },
  'database-away': {
    name: 'Database away',
    part: 'database',
    mend: 'Start PostgreSQL, or have it take connections and writes.',
  },
  'redis-away': { name: 'Redis away', part: 'redis', mend: 'Start Redis; it may be empty.' },
  'worker-away': { name: 'Worker away', part: 'worker', mend: 'Start the worker.' },
  'task-failing': { name: 'Task failing', mend: 'It is begun again by itself; the log of the backend has the error.' },
}

/** What is wrong, of an answer of `/health/ready`: conditions, and parts that none of them speaks of. */
export function missingOf(answer: Told | null): Missing[] {
  if (!answer) return []
  const held = answer.conditions.map((condition) => ({ ...condition, ...CONDITIONS[condition.name] }))
  const spoken = new Set(held.map((one) => one.part))
  return [
    ...held.map((one) => {
      const part = answer.parts.find((each) => each.name === one.part && each.missing)
      const costs = part ? `; ${part.missing}` : ''
      return {
        name: one.name,
        missing: `${one.detail}${costs} (since ${clock(one.since)})`,
        mend: part?.mend ?? one.mend,
      }
    }),
    ...answer.parts.flatMap((part) =>
      part.missing && !spoken.has(part.name) ? [{ name: part.name, missing: part.missing, mend: part.mend ?? '' }] : [],
    ),
  ]
}

function clock(instant: string): string {
  return new Date(instant).toLocaleTimeString('en-GB')
}

/** Asks what is wrong; null when nobody answers. An answer that says the API is down is one, too. */
export async function askForParts(): Promise<Told | null> {
  const answer = await fetch('/health/ready', { cache: 'no-store' }).catch(() => null)
  const body: unknown = await answer?.json().catch(() => null)
  return body && typeof body === 'object' && 'parts' in body && 'conditions' in body ? (body as Told) : null
}
