import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap, type ApiToken, type Role } from '@/api'
import { useSession } from '@/session'

/** A token with its secret, which is told once. */
export type NewToken = ApiToken & { token: string }

/** The project's API tokens, revoked ones among them. */
export function useApiTokens() {
  const session = useSession()
  return useQuery({
    queryKey: ['api-tokens', () => session.project?.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/api-tokens', { params: { query: { project_id: session.project?.id, limit: 200 } } })),
    select: (page) => page.items,
  })
}

/** People of the project's organization. */
export function useMembers() {
  const session = useSession()
  return useQuery({
    queryKey: ['members', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/members', { params: { query: { project_id: session.project?.id } } })),
    select: (page) => page.items,
  })
}

/** What was done in the project, the newest first; takes a maintainer. */
export function useAuditEntries(limit: Ref<number>) {
  const session = useSession()
  return useQuery({
    queryKey: ['audit-entries', () => session.project?.id, limit],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/audit-entries', {
          params: { query: { project_id: session.project?.id, limit: Math.min(limit.value, 200) } },
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** Creates a token. */
export function useCreateToken() {
  const queries = useQueryClient()
  const session = useSession()
  return useMutation({
    mutationFn: (input: { name: string; role: Role; expires_in_days?: number }) =>
      unwrap(api.POST('/api/v1/api-tokens', { body: { ...input, project_id: session.project?.id } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-tokens'] }),
  })
}

/** Revokes a token for good. */
export function useRevokeToken() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/v1/api-tokens/{token_id}', { params: { path: { token_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-tokens'] }),
  })
}
