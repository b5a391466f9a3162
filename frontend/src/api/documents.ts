import { ApiProblem, UNANSWERED } from './problem'

/**
 * A page of the documentation, as the server made it.
 *
 * @param path below the documentation's folder; empty: its first page.
 * @returns HTML.
 * @throws ApiProblem, with status 404 where there is no such page and 0 when nobody answered.
 */
export async function documentAt(path: string, signal?: AbortSignal): Promise<string> {
  let answer: Response
  try {
    answer = await fetch(path ? `/docs/${path}` : '/docs', { signal: signal ?? null })
  } catch {
    throw new ApiProblem(0, { detail: UNANSWERED })
  }
  if (!answer.ok) throw new ApiProblem(answer.status, await answer.json().catch(() => null))
  return answer.text()
}
