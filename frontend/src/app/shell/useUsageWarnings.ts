import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'

import { ofProject, useSession } from '@/session'

const REFRESH_MS = 300_000

/** What the project or its organization uses by 80 % or more, a sentence each; none while it is not known. */
export function useUsageWarnings() {
  const session = useSession()
  const { data } = useQuery({
    // As the page of use asks, so that both show one number.
    ...ofProject('usage', 'GET /api/v1/usage'),
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS / 10,
    enabled: () => Boolean(session.project),
  })
  return computed(() => data.value?.warnings ?? [])
}
