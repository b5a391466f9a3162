import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { api, unwrap } from '@/api'

import { withLastLook } from './queries'
import { grown, NOTHING_READ, type LogChoice, type LogSoFar } from './logs'

const FOLLOW_MS = 3000

/** A run's log as far as it has been read; while the run is under way what comes is added. */
export function useRunLog(run: Ref<string>, choice: Ref<LogChoice | undefined>, live: Ref<boolean>) {
  const client = useQueryClient()
  const queryKey = computed(() => ['run', run.value, 'log', choice.value?.value])
  const query = useQuery({
    queryKey,
    enabled: () => choice.value !== undefined,
    queryFn: async ({ queryKey: key }): Promise<LogSoFar> => {
      const before = client.getQueryData<LogSoFar>(key) ?? NOTHING_READ
      const asked = choice.value
      if (asked === undefined) return before
      const call = api.GET('/api/v1/runs/{run_id}/logs/{stream}', {
        params: {
          path: { run_id: run.value, stream: asked.stream },
          query: { member: asked.member, offset: before.next },
        },
        parseAs: 'text',
      })
      const piece = await unwrap<string>(call)
      const next = Number((await call).response.headers.get('Next-Offset') ?? before.next)
      return grown(before, piece, next)
    },
    refetchInterval: () => (live.value ? FOLLOW_MS : false),
    structuralSharing: false,
  })
  return withLastLook(query, live)
}
