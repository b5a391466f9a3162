import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap, type Study } from '@/api'
import { useSession } from '@/session'

export type StudyScale = Study['scale']
const REFRESH_WHILE_MEASURED_MS = 5000

/** The studies that come with the platform, with what may be said of their claims. */
export function useStudies() {
  const session = useSession()
  return useQuery({
    queryKey: ['studies', 'list', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/studies', { params: { query: { project_id: session.project?.id } } })),
    select: (list) => list.items,
  })
}

/** One study at a scale; asked again while it is being measured. */
export function useStudy(name: MaybeRefOrGetter<string>, scale: MaybeRefOrGetter<StudyScale | undefined>) {
  const session = useSession()
  const wanted = computed(() => toValue(scale))
  return useQuery({
    queryKey: ['studies', 'one', name, wanted, () => session.project?.id],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/studies/{study}', {
          params: {
            path: { study: toValue(name) },
            query: { scale: wanted.value, project_id: session.project?.id },
          },
        }),
      ),
    placeholderData: (before) => (before?.name === toValue(name) ? before : undefined),
    refetchInterval: (query) =>
      query.state.data?.campaigns.some((one) => one.under_way) ? REFRESH_WHILE_MEASURED_MS : false,
  })
}

/** Measures a study at a scale. */
export function useRunStudy(name: MaybeRefOrGetter<string>) {
  const session = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (scale: StudyScale) =>
      unwrap(
        api.POST('/api/v1/studies/{study}/campaigns', {
          params: { path: { study: toValue(name) } },
          body: { scale, sides: [], project_id: session.project?.id ?? null },
        }),
      ),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['studies'] }),
        queries.invalidateQueries({ queryKey: ['campaigns'] }),
      ]),
  })
}
