import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, unwrap } from '@/api'

/** Where one is signed in. */
export const useLogins = () =>
  useQuery({
    queryKey: ['logins'],
    queryFn: () => unwrap(api.GET('/api/v1/sessions')),
    select: (page) => page.items,
  })

/** Signs out one of one's browsers. */
export function useEndLogin() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/v1/sessions/{login_id}', { params: { path: { login_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['logins'] }),
  })
}

/** Signs out everywhere else. */
export function useEndOtherLogins() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/v1/sessions')),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['logins'] }),
  })
}

/** Changes one's own password. */
export function useChangePassword() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { current: string; password: string }) => unwrap(api.PUT('/api/v1/password', { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['logins'] }),
  })
}

/** Makes an organization with its first project. */
export const useMakeOrganization = () =>
  useMutation({
    mutationFn: (body: { slug: string; name: string }) => unwrap(api.POST('/api/v1/organizations', { body })),
  })
