import { useMutation, useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { api, unwrap } from '@/api'

const byLink = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

/** What an invitation's link is for. */
export const useInvitation = (token: Ref<string>) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => unwrap(api.GET('/api/v1/invitation', byLink(token.value))),
  })

/** Joins over an invitation's link. */
export const useJoin = (token: Ref<string>) =>
  useMutation({
    mutationFn: (body: { name?: string; password: string }) =>
      unwrap(api.POST('/api/v1/invitation', { ...byLink(token.value), body })),
  })

/** Has a link sent by which a password is set anew. */
export const useAskReset = () =>
  useMutation({
    mutationFn: (email: string) => unwrap(api.POST('/api/v1/password-resets', { body: { email } })),
  })

/** Whose password a link sets. */
export const useReset = (token: Ref<string>) =>
  useQuery({
    queryKey: ['password-reset', token],
    queryFn: () => unwrap(api.GET('/api/v1/password-reset', byLink(token.value))),
    enabled: computed(() => token.value !== ''),
  })

/** Sets a password over a link. */
export const useSetPassword = (token: Ref<string>) =>
  useMutation({
    mutationFn: (password: string) =>
      unwrap(api.POST('/api/v1/password-reset', { ...byLink(token.value), body: { password } })),
  })

/** Asks for an invitation by one's address. */
export const useAskToJoin = () =>
  useMutation({ mutationFn: (email: string) => unwrap(api.POST('/api/v1/joining', { body: { email } })) })

/** What a link asks a domain's keepers. */
export const useDomain = (token: Ref<string>) =>
  useQuery({
    queryKey: ['joining-domain', token],
    queryFn: () => unwrap(api.GET('/api/v1/joining-domain', byLink(token.value))),
  })

/** Says over a link that a domain is the organization's. */
export const useConfirmDomain = (token: Ref<string>) =>
  useMutation({ mutationFn: () => unwrap(api.POST('/api/v1/joining-domain', byLink(token.value))) })
