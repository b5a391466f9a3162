import { useMutation, useQueryClient } from '@tanstack/vue-query'

import { request } from '@/api'
import { useSession } from '@/session'

/** What is wrong with a slug; undefined: nothing. */
export function slugError(slug: string): string | undefined {
  if (slug === '' || /^[a-z0-9][a-z0-9-]*$/.test(slug)) return undefined
  return 'small letters, digits and hyphens, beginning with a letter or digit'
}

/** Makes, renames, archives and restores projects; who is signed in is asked for again afterwards. */
export function useProjects() {
  const queries = useQueryClient()
  const session = useSession()
  const changed = async () => {
    await session.restore(true)
    await queries.invalidateQueries()
  }
  const of = (id: string) => ({ path: { project_id: id } })
  return {
    make: useMutation({
      mutationFn: (body: { name: string; slug: string; organization_id: string }) =>
        request('POST /api/v1/projects', { body }),
      onSuccess: changed,
    }),
    rename: useMutation({
      mutationFn: ({ id, name }: { id: string; name: string }) =>
        request('PATCH /api/v1/projects/{project_id}', { ...of(id), body: { name } }),
      onSuccess: changed,
    }),
    archive: useMutation({
      mutationFn: (id: string) => request('POST /api/v1/projects/{project_id}/archive', of(id)),
      onSuccess: changed,
    }),
    restore: useMutation({
      mutationFn: (id: string) => request('POST /api/v1/projects/{project_id}/restore', of(id)),
      onSuccess: changed,
    }),
  }
}
