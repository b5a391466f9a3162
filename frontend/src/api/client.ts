import createClient from 'openapi-fetch'

import { ApiProblem, UNANSWERED } from './problem'
import type { paths } from './schema'

/** The API's client; every call is checked against the OpenAPI document. */
export const api = createClient<paths>({
  baseUrl: '',
  credentials: 'same-origin',
  // Tells the server that a script of this origin asks: a form on another site cannot send it.
  headers: { 'X-Weighhouse': '1' },
})

let signedOut: () => void = () => undefined

/** Sets what happens when the server says that nobody is signed in (any more). */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

let roleRests: () => void = () => undefined

/** Sets what happens when the server says that somebody's role rests until they have a second factor. */
export function onRoleRests(listener: () => void): void {
  roleRests = listener
}

/** What a call of `api` comes to. */
export interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/**
 * Waits for a call and gives its data.
 *
 * @param call a call of `api`.
 * @returns the body of a successful answer.
 * @throws ApiProblem for any other answer, with status 0 when there was none.
 */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch {
    // What browsers call it differs, and tells people nothing.
    throw new ApiProblem(0, { detail: UNANSWERED })
  }
  if (answer.response.ok) return answer.data as T
  if (answer.response.status === 401) signedOut()
  const problem = new ApiProblem(answer.response.status, answer.error)
  if (problem.type.endsWith('/second-factor-required')) roleRests()
  throw problem
}
