import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { request, requestAll, useChange, type ApiToken, type MemberRole, type Role, type Scope } from '@/api'
import { ofProject, useSession } from '@/session'

/** A token with its secret, which is told once. */
export type NewToken = ApiToken & { token: string }

/** How often somebody who waits for a first use is told. */
const SOON_MS = 2_000

/**
 * The project's API tokens, revoked ones among them.
 *
 * @param waits does somebody look for a token's first use?
 */
export function useApiTokens(waits?: () => boolean) {
  const session = useSession()
  return useQuery({
    queryKey: ['api-tokens', () => session.project?.id],
    queryFn: () =>
      requestAll((part) => request('GET /api/v1/api-tokens', { query: { project_id: session.project?.id, ...part } })),
    refetchInterval: computed(() => (waits?.() ? SOON_MS : false)),
    select: (page) => page.items,
  })
}

/** People of the project's organization. */
export function useMembers() {
  return useQuery({ ...ofProject('members', 'GET /api/v1/members'), select: (page) => page.items })
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
      request('GET /api/v1/audit-entries', {
        query: {
          project_id: session.project?.id,
          ...wanted.value,
          limit: 50,
          total: true,
          cursor: cursor.value || undefined,
        },
      }),
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
  const session = useSession()
  return useChange(
    ['api-tokens'],
    (input: { name: string; role: Role; personal: boolean; scopes: Scope[] | null; expires_in_days?: number }) =>
      request('POST /api/v1/api-tokens', { body: { ...input, project_id: session.project?.id } }),
  )
}

/** Revokes a token for good. */
export function useRevokeToken() {
  return useChange(['api-tokens'], (id: string) =>
    request('DELETE /api/v1/api-tokens/{token_id}', { path: { token_id: id } }),
  )
}

/** Makes a token in the place of another one, which holds a while longer. */
export function useRotateToken() {
  return useChange(['api-tokens'], ({ id, hours }: { id: string; hours: number }) =>
    request('POST /api/v1/api-tokens/{token_id}/rotate', { path: { token_id: id }, body: { overlap_hours: hours } }),
  )
}

/** Invitations that wait; takes an owner. */
export function useInvitations() {
  return useQuery({ ...ofProject('invitations', 'GET /api/v1/invitations'), select: (page) => page.items })
}

/** What owners do about people of the project on show. */
export function usePeople() {
  const session = useSession()
  const ofProject = () => ({ query: { project_id: session.project?.id } })
  const stale = ['members', 'invitations']
  const inProject = (id: string) => ({ path: { project_id: session.project?.id ?? '', user_id: id } })
  return {
    invite: useChange(stale, (body: { email: string; role: MemberRole; only_this_project: boolean }) =>
      request('POST /api/v1/invitations', { ...ofProject(), body }),
    ),
    takeBack: useChange(stale, (id: string) =>
      request('DELETE /api/v1/invitations/{invitation_id}', { path: { invitation_id: id } }),
    ),
    change: useChange(stale, ({ id, role }: { id: string; role: MemberRole }) =>
      request('PUT /api/v1/members/{user_id}', { path: { user_id: id }, ...ofProject(), body: { role } }),
    ),
    changeHere: useChange(stale, async ({ id, role }: { id: string; role: Role | null }): Promise<void> => {
      if (role === null) await request('DELETE /api/v1/projects/{project_id}/members/{user_id}', inProject(id))
      else await request('PUT /api/v1/projects/{project_id}/members/{user_id}', { ...inProject(id), body: { role } })
    }),
    remove: useChange(stale, (id: string) =>
      request('DELETE /api/v1/members/{user_id}', { path: { user_id: id }, ...ofProject() }),
    ),
    resetFactor: useChange(stale, (id: string) =>
      request('DELETE /api/v1/members/{user_id}/second-factor', { path: { user_id: id }, ...ofProject() }),
    ),
  }
}

const FACTOR_POLICY = 'second-factor-policy'

/** Whether the organization requires a second factor; takes an owner of it. */
export function useFactorPolicy() {
  return useQuery(ofProject(FACTOR_POLICY, 'GET /api/v1/second-factor-policy'))
}

/** Has it require one, or not any more. */
export function useRequireFactor() {
  const session = useSession()
  return useChange([FACTOR_POLICY], (required: boolean) =>
    request('PUT /api/v1/second-factor-policy', { query: { project_id: session.project?.id }, body: { required } }),
  )
}
