import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap, unwrapAll, type ApiToken, type MemberRole, type Role, type Scope } from '@/api'
import { useSession } from '@/session'

/** A token with its secret, which is told once. */
export type NewToken = ApiToken & { token: string }

/** The project's API tokens, revoked ones among them. */
export function useApiTokens() {
  const session = useSession()
  return useQuery({
    queryKey: ['api-tokens', () => session.project?.id],
    queryFn: () =>
      unwrapAll((part) =>
        api.GET('/api/v1/api-tokens', { params: { query: { project_id: session.project?.id, ...part } } }),
      ),
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

/** Which entries of the audit log; all conditions hold at once. */
export interface AuditWanted {
  actor?: string | undefined
  action?: string | undefined
  text?: string | undefined
  /** How the address begins that it was asked from. */
  address?: string | undefined
  /** Instants in ISO 8601: not before, and before. */
  since?: string | undefined
  until?: string | undefined
}

/** What was done in the project, the newest first, part by part; takes a maintainer. */
export function useAuditEntries(wanted: Ref<AuditWanted>, cursor: Ref<string>) {
  const session = useSession()
  return useQuery({
    queryKey: ['audit-entries', () => session.project?.id, wanted, cursor],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/audit-entries', {
          params: {
            query: {
              project_id: session.project?.id,
              ...wanted.value,
              limit: 50,
              total: true,
              cursor: cursor.value || undefined,
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** Where the same lies as a file. */
export function auditExportAddress(project: string | undefined, wanted: AuditWanted): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ project_id: project, ...wanted })) if (value) query.set(name, value)
  return `/api/v1/audit-entries/export?${query.toString()}`
}

/** Creates a token. */
export function useCreateToken() {
  const queries = useQueryClient()
  const session = useSession()
  return useMutation({
    mutationFn: (input: {
      name: string
      role: Role
      personal: boolean
      scopes: Scope[] | null
      expires_in_days?: number
    }) => unwrap(api.POST('/api/v1/api-tokens', { body: { ...input, project_id: session.project?.id } })),
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

/** Makes a token in the place of another one, which holds a while longer. */
export function useRotateToken() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, hours }: { id: string; hours: number }) =>
      unwrap(
        api.POST('/api/v1/api-tokens/{token_id}/rotate', {
          params: { path: { token_id: id } },
          body: { overlap_hours: hours },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-tokens'] }),
  })
}

/** Invitations that wait; takes an owner. */
export function useInvitations() {
  const session = useSession()
  return useQuery({
    queryKey: ['invitations', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/invitations', { params: { query: { project_id: session.project?.id } } })),
    select: (page) => page.items,
  })
}

/** What owners do about people of the project on show. */
export function usePeople() {
  const queries = useQueryClient()
  const session = useSession()
  const ofProject = () => ({ query: { project_id: session.project?.id } })
  const changed = () =>
    Promise.all(['members', 'invitations'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  const inProject = (id: string) => ({ params: { path: { project_id: session.project?.id ?? '', user_id: id } } })
  return {
    invite: useMutation({
      mutationFn: (body: { email: string; role: MemberRole; only_this_project: boolean }) =>
        unwrap(api.POST('/api/v1/invitations', { params: ofProject(), body })),
      onSuccess: changed,
    }),
    takeBack: useMutation({
      mutationFn: (id: string) =>
        unwrap(api.DELETE('/api/v1/invitations/{invitation_id}', { params: { path: { invitation_id: id } } })),
      onSuccess: changed,
    }),
    change: useMutation({
      mutationFn: ({ id, role }: { id: string; role: MemberRole }) =>
        unwrap(
          api.PUT('/api/v1/members/{user_id}', { params: { path: { user_id: id }, ...ofProject() }, body: { role } }),
        ),
      onSuccess: changed,
    }),
    changeHere: useMutation({
      mutationFn: async ({ id, role }: { id: string; role: Role | null }): Promise<void> => {
        if (role === null) await unwrap(api.DELETE('/api/v1/projects/{project_id}/members/{user_id}', inProject(id)))
        else
          await unwrap(api.PUT('/api/v1/projects/{project_id}/members/{user_id}', { ...inProject(id), body: { role } }))
      },
      onSuccess: changed,
    }),
    remove: useMutation({
      mutationFn: (id: string) =>
        unwrap(api.DELETE('/api/v1/members/{user_id}', { params: { path: { user_id: id }, ...ofProject() } })),
      onSuccess: changed,
    }),
    resetFactor: useMutation({
      mutationFn: (id: string) =>
        unwrap(
          api.DELETE('/api/v1/members/{user_id}/second-factor', {
            params: { path: { user_id: id }, ...ofProject() },
          }),
        ),
      onSuccess: changed,
    }),
  }
}

const FACTOR_POLICY = 'second-factor-policy'

/** Whether the organization requires a second factor; takes an owner of it. */
export function useFactorPolicy() {
  const session = useSession()
  return useQuery({
    queryKey: [FACTOR_POLICY, () => session.project?.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/second-factor-policy', { params: { query: { project_id: session.project?.id } } })),
  })
}

/** Has it require one, or not any more. */
export function useRequireFactor() {
  const queries = useQueryClient()
  const session = useSession()
  return useMutation({
    mutationFn: (required: boolean) =>
      unwrap(
        api.PUT('/api/v1/second-factor-policy', {
          params: { query: { project_id: session.project?.id } },
          body: { required },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: [FACTOR_POLICY] }),
  })
}
