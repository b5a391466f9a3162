import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'

import { ofProject, useSession } from '@/session'

const REFRESH_MS = 30_000

/** How many alerts of the project nobody has looked at; 0 while it is not known. */
export function useUntriaged() {
  const session = useSession()
  const { data } = useQuery({
    // As the page of alerts asks, so that both show one number.
    ...ofProject(['alerts', 'counts'], 'GET /api/v1/alerts/counts'),
    refetchInterval: REFRESH_MS,
    enabled: () => session.session !== null,
  })
  return computed(() => data.value?.states['untriaged'] ?? 0)
}
