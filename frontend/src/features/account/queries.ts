import { useQuery } from '@tanstack/vue-query'

import { request, useChange } from '@/api'

/** Where one is signed in. */
export const useLogins = () =>
  useQuery({
    queryKey: ['logins'],
    queryFn: () => request('GET /api/v1/sessions'),
    select: (page) => page.items,
  })

/** Signs out one of one's browsers. */
export function useEndLogin() {
  return useChange(['logins'], (id: string) =>
    request('DELETE /api/v1/sessions/{login_id}', { path: { login_id: id } }),
  )
}

/** Signs out everywhere else. */
export function useEndOtherLogins() {
  return useChange(['logins'], () => request('DELETE /api/v1/sessions'))
}

/** Changes one's own password. */
export function useChangePassword() {
  return useChange(['logins'], (body: { current: string; password: string }) =>
    request('PUT /api/v1/password', { body }),
  )
}

/** Makes an organization with its first project. */
export const useMakeOrganization = () =>
  useChange([], (body: { slug: string; name: string }) => request('POST /api/v1/organizations', { body }))
