import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, unwrap } from '@/api'
import { useSession } from '@/session'

const REFRESH_MS = 30_000

/** Manifests that the project's agents have, those first that wait to be accepted. */
export function useManifests() {
  const session = useSession()
  return useQuery({
    queryKey: ['manifests', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/manifests', { params: { query: { project_id: session.project?.id } } })),
    refetchInterval: REFRESH_MS,
  })
}

/** Accepts a manifest in the project, or refuses it there. */
export function useManifestDecision() {
  const session = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (one: { digest: string; pluginId: string; accepted: boolean }) =>
      unwrap(
        api.PUT('/api/v1/manifests/{digest}/decision', {
          params: { path: { digest: one.digest } },
          body: { plugin_id: one.pluginId, accepted: one.accepted, project_id: session.project?.id },
        }),
      ),
    onSettled: () =>
      Promise.all(
        ['manifests', 'systems', 'agents'].map((queryKey) => queries.invalidateQueries({ queryKey: [queryKey] })),
      ),
  })
}
