import { useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { request, requestAll } from '@/api'
import { useSession } from '@/session'

/** What this installation is, and how its command is had from it. */
export function useAbout() {
  return useQuery({ queryKey: ['about'], queryFn: () => request('GET /api/v1/about'), staleTime: 60_000 })
}

/** What a pipeline could measure: the project's experiments, as lists name them. */
export function useMeasurable() {
  const session = useSession()
  return useQuery({
    queryKey: ['experiments', 'of a pipeline', () => session.project?.id],
    queryFn: () =>
      requestAll((part) => request('GET /api/v1/experiments', { query: { project_id: session.project?.id, ...part } })),
    select: (page) => page.items,
  })
}

/** An experiment's newest document, as a file. */
export function useExperimentFile(experiment: MaybeRefOrGetter<{ id: string; current_revision: number } | undefined>) {
  return useQuery({
    queryKey: ['experiment-file', () => toValue(experiment)?.id, () => toValue(experiment)?.current_revision],
    queryFn: () => {
      const { id, current_revision: number } = toValue(experiment)!
      return request('GET /api/v1/experiments/{experiment}/revisions/{number}', { path: { experiment: id, number } })
    },
    enabled: () => toValue(experiment) !== undefined,
    select: (revision) => revision.yaml,
    staleTime: Infinity,
  })
}
