import type { components } from '@/api/schema'

type ReadyRead = components['schemas']['ReadyRead']

/** A part of the platform that is away, what that costs, and how it is mended. */
export interface Missing {
  name: string
  missing: string
  mend: string
}

/** The parts that are missing, of an answer of `/health/ready`; none of one that is none. */
export function missingOf(answer: Pick<ReadyRead, 'parts'> | null): Missing[] {
  return (answer?.parts ?? []).flatMap((part) =>
    part.missing ? [{ name: part.name, missing: part.missing, mend: part.mend ?? '' }] : [],
  )
}

/** Asks how the parts do; null when nobody answers. An answer that says the API is down is one, too. */
export async function askForParts(): Promise<Pick<ReadyRead, 'parts'> | null> {
  const answer = await fetch('/health/ready', { cache: 'no-store' }).catch(() => null)
  const body: unknown = await answer?.json().catch(() => null)
  return body && typeof body === 'object' && 'parts' in body ? (body as Pick<ReadyRead, 'parts'>) : null
}
