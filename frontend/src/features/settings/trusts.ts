import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, unwrap, type Role, type Scope } from '@/api'
import { useSession } from '@/session'

const KEY = 'pipeline-trusts'

/** CI services that are offered, with the conditions that a trust begins with. */
export const SERVICES = [
  {
    value: 'github',
    label: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    conditions: 'repository = acme/store\nref = refs/heads/main',
  },
  {
    value: 'gitlab',
    label: 'GitLab CI',
    issuer: 'https://gitlab.com',
    conditions: 'project_path = acme/store\nref_type = branch\nref = main',
  },
  { value: 'other', label: 'Another', issuer: '', conditions: 'sub = ' },
] as const
export type Service = (typeof SERVICES)[number]['value']

/** What is asked for of a trust. */
export interface TrustWanted {
  name: string
  issuer: string
  audience: string | null
  conditions: Record<string, string>
  role: Role
  scopes: Scope[]
  lifetime_seconds: number
}

/**
 * Conditions as they are typed, `claim = value` a line.
 *
 * @returns claim → value; null: a line is none, or a claim is named twice.
 */
export function conditionsIn(text: string): Record<string, string> | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const found: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf('=')
    const [claim, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    if (at < 1 || !claim || !value || claim in found) return null
    found[claim] = value
  }
  return lines.length ? found : null
}

/** The pipelines that the project trusts; takes a maintainer. */
export function useTrusts() {
  const session = useSession()
  return useQuery({
    queryKey: [KEY, () => session.project?.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/pipeline-trusts', { params: { query: { project_id: session.project?.id } } })),
    select: (page) => page.items,
  })
}

/** Trusts pipelines, or not any more. */
export function useChangeTrusts() {
  const queries = useQueryClient()
  const session = useSession()
  const onSuccess = () => Promise.all([KEY, 'api-tokens'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  return {
    make: useMutation({
      mutationFn: (wanted: TrustWanted) =>
        unwrap(api.POST('/api/v1/pipeline-trusts', { body: { ...wanted, project_id: session.project?.id } })),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: string) =>
        unwrap(api.DELETE('/api/v1/pipeline-trusts/{trust_id}', { params: { path: { trust_id: id } } })),
      onSuccess,
    }),
  }
}
