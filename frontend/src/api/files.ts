import { ApiProblem } from './problem'

/**
 * Asks whether a file may be taken, without taking it.
 *
 * @param address of the file, this platform's own.
 * @throws ApiProblem with the reason, and what would mend it, where it is refused.
 */
export async function requireFile(address: string): Promise<void> {
  const stopping = new AbortController()
  let answer: Response
  try {
    answer = await fetch(address, { signal: stopping.signal })
  } catch {
    throw new ApiProblem(0, null)
  }
  if (answer.ok) {
    stopping.abort()
    return
  }
  throw new ApiProblem(answer.status, await answer.json().catch(() => null))
}
