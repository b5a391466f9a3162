import { useQuery } from '@tanstack/vue-query'

import { request, useChange } from '@/api'
import { ofProject, useSession } from '@/session'

const REFRESH_MS = 30_000

/** Manifests that the project's agents have, those first that wait to be accepted. */
export function useManifests() {
  return useQuery({ ...ofProject('manifests', 'GET /api/v1/manifests'), refetchInterval: REFRESH_MS })
}

/** Accepts a manifest in the project, or refuses it there. */
export function useManifestDecision() {
  const session = useSession()
  return useChange(
    ['manifests', 'systems', 'agents'],
    (one: { digest: string; pluginId: string; accepted: boolean }) =>
      request('PUT /api/v1/manifests/{digest}/decision', {
        path: { digest: one.digest },
        body: { plugin_id: one.pluginId, accepted: one.accepted, project_id: session.project?.id },
      }),
    'settled',
  )
}
