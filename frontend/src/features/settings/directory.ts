import { useQuery } from '@tanstack/vue-query'

import { ApiProblem, request, useChange, type Directory } from '@/api'
import { useSession } from '@/session'

const KEY = 'directory'

/** The directory that takes people out of the organization; null: none is let in. Takes an owner. */
export function useDirectory() {
  const session = useSession()
  return useQuery({
    queryKey: [KEY, () => session.project?.id],
    queryFn: async (): Promise<Directory | null> => {
      try {
        return await request('GET /api/v1/directory', { query: { project_id: session.project?.id } })
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
  })
}

/** Makes a token for the directory, the one before ends; or shuts it out. */
export function useChangeDirectory() {
  const session = useSession()
  const of = () => ({ query: { project_id: session.project?.id } })
  const stale = [KEY]
  return {
    letIn: useChange(stale, () => request('POST /api/v1/directory', of())),
    shutOut: useChange(stale, () => request('DELETE /api/v1/directory', of())),
  }
}
