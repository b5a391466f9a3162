import { useQuery } from '@tanstack/vue-query'

import { request, useChange, type JoiningDomain, type JoiningRole, type Mailbox } from '@/api'
import { ofProject, useSession } from '@/session'

const KEY = 'joining-domains'
const UNSENT_MS = 3000

/** `unsent`: no server took the mail yet; `ended`: nobody confirmed the domain in time. */
export type DomainState = 'confirmed' | 'unsent' | 'asked' | 'ended'

/** How it stands with a domain: `now` in ms. */
export function stateOf(
  row: Pick<JoiningDomain, 'verified_at' | 'mailed_at' | 'expires_at'>,
  now: number,
): DomainState {
  if (row.verified_at) return 'confirmed'
  if (Date.parse(row.expires_at) <= now) return 'ended'
  return row.mailed_at ? 'asked' : 'unsent'
}

/** The confirmed one among domains that somebody types anew, however they write it. */
export function confirmedAmong<Row extends Pick<JoiningDomain, 'domain' | 'verified_at'>>(
  rows: readonly Row[],
  typed: string,
): Row | undefined {
  return rows.find((row) => row.verified_at && row.domain === typed.trim().toLowerCase())
}

/** Domains whose people may join the organization; takes an owner of it. */
export function useDomains() {
  return useQuery({
    ...ofProject(KEY, 'GET /api/v1/joining-domains'),
    select: (page) => page.items,
    refetchInterval: (query) =>
      query.state.data?.items.some((row) => stateOf(row, Date.now()) === 'unsent') ? UNSENT_MS : false,
  })
}

/** Asks a domain's keepers by mail whether it is the organization's; one that is there is asked anew. */
export function useAddDomain() {
  const session = useSession()
  return useChange([KEY], (body: { domain: string; role: JoiningRole; mailbox: Mailbox }) =>
    request('POST /api/v1/joining-domains', { query: { project_id: session.project?.id }, body }),
  )
}

/** Has nobody join by a domain any more. */
export function useRemoveDomain() {
  return useChange([KEY], (id: string) =>
    request('DELETE /api/v1/joining-domains/{domain_id}', { path: { domain_id: id } }),
  )
}
