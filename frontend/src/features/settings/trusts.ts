import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'

import { request, useChange, type Role, type Scope } from '@/api'
import { ofProject, useSession } from '@/session'

const KEY = 'pipeline-trusts'

/**
 * CI services that are offered: the claim that says whose pipelines they are, which somebody has to name, and what a
 * trust is narrowed to besides until somebody says otherwise.
 */
export const SERVICES = [
  {
    value: 'github',
    label: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    whose: { claim: 'repository', label: 'Repository', example: 'owner/name' },
    conditions: 'ref = refs/heads/main',
  },
  {
    value: 'gitlab',
    label: 'GitLab CI',
    issuer: 'https://gitlab.com',
    whose: { claim: 'project_path', label: 'Project', example: 'group/project' },
    conditions: 'ref_type = branch\nref = main',
  },
  {
    value: 'other',
    label: 'Another',
    issuer: '',
    whose: { claim: 'sub', label: 'Subject', example: 'as the service writes it' },
    conditions: '',
  },
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
 * @param whose the claim that says whose pipelines they are, and what was typed for it.
 * @returns claim → value; null: nobody is named, a line is no condition, or a claim is named twice.
 */
export function conditionsIn(whose: { claim: string; value: string }, text: string): Record<string, string> | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const named = whose.value.trim()
  if (!named) return null
  const found: Record<string, string> = { [whose.claim]: named }
  for (const line of lines) {
    const at = line.indexOf('=')
    const [claim, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    if (at < 1 || !claim || !value || claim in found) return null
    found[claim] = value
  }
  return found
}

/**
 * The pipelines that the project trusts; takes a maintainer.
 *
 * @param waits does somebody look for a trust's first use?
 */
export function useTrusts(waits?: () => boolean) {
  return useQuery({
    ...ofProject(KEY, 'GET /api/v1/pipeline-trusts'),
    refetchInterval: computed(() => (waits?.() ? 2_000 : false)),
    select: (page) => page.items,
  })
}

/** Trusts pipelines, or not any more. */
export function useChangeTrusts() {
  const session = useSession()
  const stale = [KEY, 'api-tokens']
  return {
    make: useChange(stale, (wanted: TrustWanted) =>
      request('POST /api/v1/pipeline-trusts', { body: { ...wanted, project_id: session.project?.id } }),
    ),
    remove: useChange(stale, (id: string) =>
      request('DELETE /api/v1/pipeline-trusts/{trust_id}', { path: { trust_id: id } }),
    ),
  }
}
