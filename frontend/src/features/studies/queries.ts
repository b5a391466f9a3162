import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, type Study } from '@/api'
import { ofProject, useSession } from '@/session'

export type StudyScale = Study['scale']
const REFRESH_WHILE_MEASURED_MS = 5000

/** The studies that come with the platform, with what may be said of their claims. */
export function useStudies() {
  return useQuery({ ...ofProject(['studies', 'list'], 'GET /api/v1/studies'), select: (list) => list.items })
}

/** One study at a scale; asked again while it is being measured. */
export function useStudy(name: MaybeRefOrGetter<string>, scale: MaybeRefOrGetter<StudyScale | undefined>) {
  const session = useSession()
  const wanted = computed(() => toValue(scale))
  return useQuery({
    queryKey: ['studies', 'one', name, wanted, () => session.project?.id],
    queryFn: () =>
      request('GET /api/v1/studies/{study}', {
        path: { study: toValue(name) },
        query: { scale: wanted.value, project_id: session.project?.id },
      }),
    placeholderData: (before) => (before?.name === toValue(name) ? before : undefined),
    refetchInterval: (query) =>
      query.state.data?.campaigns.some((one) => one.under_way) ? REFRESH_WHILE_MEASURED_MS : false,
  })
}

/** Measures a study at a scale. */
export function useRunStudy(name: MaybeRefOrGetter<string>) {
  const session = useSession()
  return useChange(['studies', 'campaigns'], (scale: StudyScale) =>
    request('POST /api/v1/studies/{study}/campaigns', {
      path: { study: toValue(name) },
      body: { scale, sides: [], project_id: session.project?.id ?? null },
    }),
  )
}
