import { useQuery } from '@tanstack/vue-query'

import { ApiProblem, request, useChange, type PasskeyAnswer } from '@/api'

const KEY = ['second-factor']

/** That it is they who ask: password, and code where there is a second factor; or a passkey. */
export type Proof = { current: string; code: string; passkey?: PasskeyAnswer }

export const noProof = (): Proof => ({ current: '', code: '' })

/** Whether something is there to prove it by. */
export const isGiven = (proof: Proof, coded: boolean): boolean =>
  proof.passkey !== undefined || (proof.current !== '' && (!coded || proof.code !== ''))

/** What a problem says of one of the fields; without a field, what it says of none. */
export function saidOf(cause: unknown, field?: string): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const named = cause instanceof ApiProblem ? cause.errors.map((one) => one.path) : []
  return (field === undefined ? named.length === 0 : named.includes(field)) ? cause.message : undefined
}

/** What one's logins take besides the password, or in its stead. */
export const useFactor = () => useQuery({ queryKey: KEY, queryFn: () => request('GET /api/v1/second-factor') })

/** Begins to set up an authenticator; nothing counts yet. */
export const useBeginFactor = () => useChange([], (body: Proof) => request('POST /api/v1/second-factor', { body }))

/** A change of one's factors, after which they and one's logins are looked at again. */
export function useFactorChange<Wanted, Made>(change: (wanted: Wanted) => Promise<Made>) {
  return useChange([KEY, 'logins'], change)
}

/** Confirms it by a first code; the first factor comes with recovery codes. */
export const useConfirmFactor = () =>
  useFactorChange((code: string) => request('PUT /api/v1/second-factor', { body: { code } }))

/** Makes recovery codes anew. */
export const useRenewCodes = () =>
  useFactorChange((body: Proof) => request('POST /api/v1/second-factor/recovery-codes', { body }))

/** Takes the authenticator off. */
export const useRemoveFactor = () =>
  useFactorChange((body: Proof) => request('POST /api/v1/second-factor/removal', { body }))
