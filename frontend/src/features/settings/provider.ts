import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'

import { api, ApiProblem, unwrap, type Provider, type ProviderSave } from '@/api'
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
        return await unwrap(
          api.GET('/api/v1/identity-provider', { params: { query: { project_id: session.project?.id } } }),
        )
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
  })
}

/** Sets the provider up, or forgets it. */
export function useChangeProvider() {
  const queries = useQueryClient()
  const session = useSession()
  const params = computed(() => ({ params: { query: { project_id: session.project?.id } } }))
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['identity-provider'] })
  return {
    save: useMutation({
      mutationFn: ({ client_secret: secret, ...form }: ProviderForm) =>
        unwrap(
          api.PUT('/api/v1/identity-provider', {
            ...params.value,
            body: { ...form, ...(secret && { client_secret: secret }) },
          }),
        ),
      onSuccess,
    }),
    forget: useMutation({
      mutationFn: () => unwrap(api.DELETE('/api/v1/identity-provider', params.value)),
      onSuccess,
    }),
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
