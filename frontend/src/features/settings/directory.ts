import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'

import { api, ApiProblem, unwrap, type Directory } from '@/api'
import { useSession } from '@/session'

const KEY = 'directory'

/** The directory that takes people out of the organization; null: none is let in. Takes an owner. */
export function useDirectory() {
  const session = useSession()
  return useQuery({
    queryKey: [KEY, () => session.project?.id],
    queryFn: async (): Promise<Directory | null> => {
      try {
        return await unwrap(api.GET('/api/v1/directory', { params: { query: { project_id: session.project?.id } } }))
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
  })
}

/** Makes a token for the directory, the one before ends; or shuts it out. */
export function useChangeDirectory() {
  const queries = useQueryClient()
  const session = useSession()
  const params = computed(() => ({ params: { query: { project_id: session.project?.id } } }))
  const onSuccess = () => queries.invalidateQueries({ queryKey: [KEY] })
  return {
    letIn: useMutation({ mutationFn: () => unwrap(api.POST('/api/v1/directory', params.value)), onSuccess }),
    shutOut: useMutation({ mutationFn: () => unwrap(api.DELETE('/api/v1/directory', params.value)), onSuccess }),
  }
}
