import { ApiProblem, UNANSWERED } from './problem'

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
    throw new ApiProblem(0, { detail: UNANSWERED })
  }
  if (answer.ok) {
    stopping.abort()
    return
  }
  throw new ApiProblem(answer.status, await answer.json().catch(() => null))
}

/**
 * Sends a file or a document as it is.
 *
 * @param address of the operation, with its query.
 * @param content what the body is.
 * @param headers beside the usual ones.
 * @returns the answer's JSON.
 * @throws ApiProblem with the reason where it is refused; with status 0 when nobody answered.
 */
export async function sendContent<T>(
  address: string,
  content: Blob | string,
  headers: Record<string, string> = {},
): Promise<T> {
  let answer: Response
  try {
    answer = await fetch(address, {
      method: 'POST',
      body: content,
      credentials: 'same-origin',
      headers: { 'X-Weighhouse': '1', ...headers },
    })
  } catch {
    throw new ApiProblem(0, { detail: UNANSWERED })
  }
  if (!answer.ok) throw new ApiProblem(answer.status, await answer.json().catch(() => null))
  return (await answer.json()) as T
}
