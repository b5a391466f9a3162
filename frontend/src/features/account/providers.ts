import { useMutation, useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, ApiProblem, unwrap } from '@/api'

/** Only addresses of this interface: a link must not lead people elsewhere after signing in. */
export const localPath = (wanted: unknown): string =>
  typeof wanted === 'string' && /^\/(?![/\\])[^\\]*$/.test(wanted) ? wanted : '/'

/** Providers to sign in with: those that everybody sees, and the one of an organization that a link names. */
export const useWaysIn = (organization: Ref<string | undefined>) =>
  useQuery({
    queryKey: ['ways-in', organization],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/sign-in', {
          params: { query: organization.value ? { organization: organization.value } : {} },
        }),
      ),
    select: (page) => page.items,
    retry: false,
  })

/** Begins to sign in with an organization's provider; the browser leaves for it. */
export const useSignInWith = () =>
  useMutation({
    mutationFn: (body: { organization: string; next: string }) => unwrap(api.POST('/api/v1/sign-in', { body })),
    onSuccess: (sent) => location.assign(sent.url),
  })

/** Signs in with what the provider sent the browser back with. */
export const useAnswer = () =>
  useMutation({
    mutationFn: (body: { state: string; code?: string; error?: string; iss?: string }) =>
      unwrap(api.POST('/api/v1/sign-in/answer', { body })),
  })

/** Why somebody was not let in: a heading, and what they can do. */
export function refusalOf(cause: unknown): { title: string; detail: string } {
  const title = cause instanceof ApiProblem ? cause.title : 'You are not signed in'
  return { title, detail: cause instanceof Error ? cause.message : 'Signing in did not work.' }
}
