import type { FetchResponse, HeadersOptions, ParamsOption, RequestBodyOption } from 'openapi-fetch'

import { api, unwrap } from './client'
import type { paths } from './schema'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Defined<P extends keyof paths> = { [M in Method]: paths[P][Lowercase<M>] extends object ? M : never }[Method]

/** An operation of the API: its method and its address, as `GET /api/v1/runs/{run_id}`. */
export type Route = { [P in keyof paths]: `${Defined<P>} ${P}` }[keyof paths]

type Operation<R extends Route> = R extends `${infer M extends Method} ${infer P extends keyof paths}`
  ? Extract<paths[P][Lowercase<M>], object>
  : never
type Question<O> = Omit<NonNullable<ParamsOption<O>['params']>, 'cookie'> &
  RequestBodyOption<O> & { headers?: HeadersOptions; signal?: AbortSignal }

/**
 * What a route's operation is asked: `path`, `query`, `header` and `body`, as far as it takes any; and
 * `signal`, by which who needs the answer no more ends it.
 */
export type QuestionOf<R extends Route> = Question<Operation<R>>
type Data<A> = A extends { data: infer D; error?: never } ? D : never

/** What a route's operation answers when it succeeds. */
export type AnswerOf<R extends Route> = Data<FetchResponse<Operation<R>, object, 'application/json'>>

/**
 * Asks the API; route, question and answer are checked against its document.
 *
 * @param route the operation.
 * @param question what it is asked.
 * @returns the body of the answer.
 * @throws ApiProblem as `unwrap`.
 */
export async function request<R extends Route>(
  route: R,
  ...[question]: object extends QuestionOf<R> ? [QuestionOf<R>?] : [QuestionOf<R>]
): Promise<AnswerOf<R>> {
  const [method, address] = route.split(' ') as [Lowercase<Method>, string]
  const { path, query, header, ...rest } = (question ?? {}) as Record<string, object | undefined>
  const call = api.request as unknown as (
    method: string,
    address: string,
    init: object,
  ) => Promise<{ data?: AnswerOf<R>; error?: unknown; response: Response }>
  return unwrap(call(method, address, { params: { path, query, header }, ...rest }))
}
