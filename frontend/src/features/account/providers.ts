import { useMutation, useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { ApiProblem, request, useChange } from '@/api'

/** Only addresses of this interface: a link must not lead people elsewhere after signing in. */
export const localPath = (wanted: unknown): string =>
  typeof wanted === 'string' && /^\/(?![/\\])[^\\]*$/.test(wanted) ? wanted : '/'

/** Providers to sign in with: those that everybody sees, and the one of an organization that a link names. */
export const useWaysIn = (organization: Ref<string | undefined>) =>
  useQuery({
    queryKey: ['ways-in', organization],
    queryFn: () =>
      request('GET /api/v1/sign-in', { query: organization.value ? { organization: organization.value } : {} }),
    select: (page) => page.items,
    retry: false,
  })

/** Begins to sign in with an organization's provider; the browser leaves for it. */
export const useSignInWith = () =>
  useMutation({
    mutationFn: (body: { organization: string; next: string }) => request('POST /api/v1/sign-in', { body }),
    onSuccess: (sent) => location.assign(sent.url),
  })

/** Signs in with what the provider sent the browser back with. */
export const useAnswer = () =>
  useChange([], (body: { state: string; code?: string; error?: string; iss?: string }) =>
    request('POST /api/v1/sign-in/answer', { body }),
  )

/** Why somebody was not let in: a heading, and what they can do. */
export function refusalOf(cause: unknown): { title: string; detail: string } {
  const title = cause instanceof ApiProblem ? cause.title : 'You are not signed in'
  return { title, detail: cause instanceof Error ? cause.message : 'Signing in did not work.' }
}
