import type { QueryKey } from '@tanstack/vue-query'

import { request, type AnswerOf, type QuestionOf, type Route } from '@/api'

import { useSession } from './store'

interface Asked {
  query: { project_id: string | undefined }
}
type ProjectRoute = { [R in Route]: Asked extends QuestionOf<R> ? R : never }[Route]

/**
 * What `useQuery` takes to ask about the project on show, and again when another one is chosen.
 *
 * @param key its key, without the project; a text is a key of one part.
 * @param route an operation that takes a project and nothing else that must be said.
 */
export function ofProject<R extends ProjectRoute>(key: string | QueryKey, route: R) {
  const session = useSession()
  return {
    queryKey: [...[key].flat(), () => session.project?.id],
    queryFn: (): Promise<AnswerOf<R>> => request<ProjectRoute>(route, { query: { project_id: session.project?.id } }),
  }
}
