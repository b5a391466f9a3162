import { useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { request, useChange } from '@/api'

const byLink = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

/** What an invitation's link is for. */
export const useInvitation = (token: Ref<string>) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request('GET /api/v1/invitation', byLink(token.value)),
  })

/** Joins over an invitation's link. */
export const useJoin = (token: Ref<string>) =>
  useChange([], (body: { name?: string; password: string }) =>
    request('POST /api/v1/invitation', { ...byLink(token.value), body }),
  )

/** Has a link sent by which a password is set anew. */
export const useAskReset = () =>
  useChange([], (email: string) => request('POST /api/v1/password-resets', { body: { email } }))

/** Whose password a link sets. */
export const useReset = (token: Ref<string>) =>
  useQuery({
    queryKey: ['password-reset', token],
    queryFn: () => request('GET /api/v1/password-reset', byLink(token.value)),
    enabled: computed(() => token.value !== ''),
  })

/** Sets a password over a link. */
export const useSetPassword = (token: Ref<string>) =>
  useChange([], (password: string) =>
    request('POST /api/v1/password-reset', { ...byLink(token.value), body: { password } }),
  )

/** Asks for an invitation by one's address. */
export const useAskToJoin = () => useChange([], (email: string) => request('POST /api/v1/joining', { body: { email } }))

/** What a link asks a domain's keepers. */
export const useDomain = (token: Ref<string>) =>
  useQuery({
    queryKey: ['joining-domain', token],
    queryFn: () => request('GET /api/v1/joining-domain', byLink(token.value)),
  })

/** Says over a link that a domain is the organization's. */
export const useConfirmDomain = (token: Ref<string>) =>
  useChange([], () => request('POST /api/v1/joining-domain', byLink(token.value)))
