import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, unwrap, type QuotaLimits } from '@/api'
import { useSession } from '@/session'

const REFRESH_MS = 300_000

/** What the project and its organization use, and may. */
export function useUsage() {
  const session = useSession()
  return useQuery({
    queryKey: ['usage', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/usage', { params: { query: { project_id: session.project?.id } } })),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS / 10,
    enabled: () => Boolean(session.project),
  })
}

/** What is to be said anew, of the project or of its whole organization. */
export interface Wanted {
  scope: 'project' | 'organization'
  id: string
  limits: QuotaLimits
  version: number
}

/** Puts limits in the place of those that were seen; 412 when somebody else was first. */
export function useSaveQuotas() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ scope, id, limits, version }: Wanted) => {
      const header = { 'if-match': `"${version}"` }
      return scope === 'project'
        ? unwrap(api.PUT('/api/v1/project-quotas', { params: { query: { project_id: id }, header }, body: limits }))
        : unwrap(
            api.PUT('/api/v1/organization-quotas/{organization_id}', {
              params: { path: { organization_id: id }, header },
              body: limits,
            }),
          )
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['usage'] }),
  })
}
