import type { FieldError, Problem } from './types'

/** What is said where no answer came. */
export const UNANSWERED = 'No answer came: the platform is away, or the network is.'

/** An answer of the API that is not a success: problem+json where the server sent it. */
export class ApiProblem extends Error {
  readonly status: number
  readonly type: string
  readonly title: string
  /** What it says of this occurrence alone. */
  readonly detail: string | null
  readonly errors: readonly FieldError[]

  constructor(status: number, body: unknown) {
    const problem: Partial<Problem> = typeof body === 'object' && body !== null ? body : {}
    const title = problem.title ?? (status === 0 ? 'The server did not answer' : `HTTP ${status}`)
    super(problem.detail ?? title)
    this.name = 'ApiProblem'
    this.status = status
    this.type = problem.type ?? 'about:blank'
    this.title = title
    this.detail = problem.detail ?? null
    this.errors = problem.errors ?? []
  }
}
