import createClient from 'openapi-fetch'

import { ApiProblem } from './problem'

interface Answer {
  data?: unknown
  error?: unknown
  response: Response
}
interface Init {
  params?: { path?: Record<string, string | number>; query?: Record<string, unknown>; header?: Record<string, string> }
  body?: unknown
  parseAs?: 'json' | 'text'
}
interface LooseClient {
  GET(path: string, init?: Init): Promise<Answer>
  POST(path: string, init?: Init): Promise<Answer>
  PUT(path: string, init?: Init): Promise<Answer>
  DELETE(path: string, init?: Init): Promise<Answer>
}

const client = createClient<Record<never, never>>({
  baseUrl: '',
  credentials: 'same-origin',
  // Tells the server that a script of this origin asks: a form on another site cannot send it.
  headers: { 'X-Weighhouse': '1' },
})

/** The API's client; every call is checked against the OpenAPI document. */
export const api = client as unknown as LooseClient

let signedOut: () => void = () => undefined

/** Sets what happens when the server says that nobody is signed in (any more). */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

/**
 * Waits for a call and gives its data.
 *
 * @param call a call of `api`.
 * @returns the body of a successful answer.
 * @throws ApiProblem for any other answer, with status 0 when there was none.
 */
export async function unwrap<T>(call: Promise<Answer>): Promise<T> {
  let answer: Answer
  try {
    answer = await call
  } catch (cause) {
    throw new ApiProblem(0, { detail: cause instanceof Error ? cause.message : undefined })
  }
  if (answer.response.ok) return answer.data as T
  if (answer.response.status === 401) signedOut()
  throw new ApiProblem(answer.response.status, answer.error)
}
