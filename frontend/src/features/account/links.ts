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
