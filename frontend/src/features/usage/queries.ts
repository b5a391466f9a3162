import { useQuery } from '@tanstack/vue-query'

import { request, useChange, type QuotaLimits } from '@/api'
import { ofProject, useSession } from '@/session'

const REFRESH_MS = 300_000

/** What the project and its organization use, and may. */
export function useUsage() {
  const session = useSession()
  return useQuery({
    ...ofProject('usage', 'GET /api/v1/usage'),
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
  return useChange(
    ['usage'],
    ({ scope, id, limits, version }: Wanted) => {
      const header = { 'if-match': `"${version}"` }
      return scope === 'project'
        ? request('PUT /api/v1/project-quotas', { query: { project_id: id }, header, body: limits })
        : request('PUT /api/v1/organization-quotas/{organization_id}', {
            path: { organization_id: id },
            header,
            body: limits,
          })
    },
    'settled',
  )
}
