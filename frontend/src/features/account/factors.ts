import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, unwrap } from '@/api'

const KEY = ['second-factor']

/** Whether one's logins take a second factor. */
export const useFactor = () => useQuery({ queryKey: KEY, queryFn: () => unwrap(api.GET('/api/v1/second-factor')) })

/** Begins to set one up; nothing counts yet. */
export const useBeginFactor = () =>
  useMutation({
    mutationFn: (current: string) => unwrap(api.POST('/api/v1/second-factor', { body: { current } })),
  })

function useFactorChange<Wanted, Made>(change: (wanted: Wanted) => Promise<Made>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([queries.invalidateQueries({ queryKey: KEY }), queries.invalidateQueries({ queryKey: ['logins'] })]),
  })
}

/** Confirms it by a first code; answers with recovery codes. */
export const useConfirmFactor = () =>
  useFactorChange((code: string) => unwrap(api.PUT('/api/v1/second-factor', { body: { code } })))

type Proof = { current: string; code: string }

/** Makes recovery codes anew. */
export const useRenewCodes = () =>
  useFactorChange((body: Proof) => unwrap(api.POST('/api/v1/second-factor/recovery-codes', { body })))

/** Turns the second factor off. */
export const useRemoveFactor = () =>
  useFactorChange((body: Proof) => unwrap(api.POST('/api/v1/second-factor/removal', { body })))
