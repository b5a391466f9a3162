import { useQuery } from '@tanstack/vue-query'

import { ApiProblem, request, useChange, type Provider, type ProviderSave } from '@/api'
import { useSession } from '@/session'

/** What is asked for of an organization's provider. */
export type ProviderForm = Required<Omit<ProviderSave, 'client_secret'>> & { client_secret: string }

/** The organization's provider; null: it has none yet. */
export function useProvider() {
  const session = useSession()
  return useQuery({
    queryKey: ['identity-provider', () => session.project?.id],
    queryFn: async (): Promise<Provider | null> => {
      try {
        return await request('GET /api/v1/identity-provider', { query: { project_id: session.project?.id } })
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
  })
}

/** Sets the provider up, or forgets it. */
export function useChangeProvider() {
  const session = useSession()
  const of = () => ({ query: { project_id: session.project?.id } })
  const stale = ['identity-provider']
  return {
    save: useChange(stale, ({ client_secret: secret, ...form }: ProviderForm) =>
      request('PUT /api/v1/identity-provider', {
        ...of(),
        body: { ...form, ...(secret && { client_secret: secret }) },
      }),
    ),
    forget: useChange(stale, () => request('DELETE /api/v1/identity-provider', of())),
  }
}

/** A form that begins with what there is. */
export const formOf = (provider: Provider | null): ProviderForm => ({
  name: provider?.name ?? '',
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  groups_claim: provider?.groups_claim ?? 'groups',
  mappings: provider?.mappings.map((one) => ({ ...one })) ?? [],
  only_way: provider?.only_way ?? false,
  listed: provider?.listed ?? false,
})
