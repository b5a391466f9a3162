/** One complaint about a document, at a path such as `targets[0].parameters.maxmemory`. */
export interface FieldError {
  path: string
  message: string
  expected?: string | null
}

interface ProblemBody {
  type?: string
  title?: string
  detail?: string
  errors?: FieldError[]
}

/** An answer of the API that is not a success: problem+json where the server sent it. */
export class ApiProblem extends Error {
  readonly status: number
  readonly type: string
  readonly title: string
  readonly errors: readonly FieldError[]

  constructor(status: number, body: unknown) {
    const problem: ProblemBody = typeof body === 'object' && body !== null ? body : {}
    const title = problem.title ?? (status === 0 ? 'The server did not answer' : `HTTP ${status}`)
    super(problem.detail ?? title)
    this.name = 'ApiProblem'
    this.status = status
    this.type = problem.type ?? 'about:blank'
    this.title = title
    this.errors = problem.errors ?? []
  }
}
