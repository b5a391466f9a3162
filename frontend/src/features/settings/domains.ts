import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, unwrap, type JoiningRole, type Mailbox } from '@/api'
import { useSession } from '@/session'

const KEY = 'joining-domains'

/** Domains whose people may join the organization; takes an owner of it. */
export function useDomains() {
  const session = useSession()
  return useQuery({
    queryKey: [KEY, () => session.project?.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/joining-domains', { params: { query: { project_id: session.project?.id } } })),
    select: (page) => page.items,
  })
}

/** Asks a domain's keepers by mail whether it is the organization's; one that is there is asked anew. */
export function useAddDomain() {
  const queries = useQueryClient()
  const session = useSession()
  return useMutation({
    mutationFn: (body: { domain: string; role: JoiningRole; mailbox: Mailbox }) =>
      unwrap(api.POST('/api/v1/joining-domains', { params: { query: { project_id: session.project?.id } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [KEY] }),
  })
}

/** Has nobody join by a domain any more. */
export function useRemoveDomain() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/v1/joining-domains/{domain_id}', { params: { path: { domain_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: [KEY] }),
  })
}
