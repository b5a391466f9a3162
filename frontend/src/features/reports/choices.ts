import { useQuery } from '@tanstack/vue-query'
import { computed, type ComputedRef } from 'vue'

import { figureOf, request, requestAll } from '@/api'
import { useSession } from '@/session'
import { numbered } from '@/ui'

interface Choice {
  value: string
  label: string
}

/** The newest campaigns of the project, to be referred to. */
export function useReportCampaigns(): ComputedRef<Choice[]> {
  const session = useSession()
  const found = useQuery({
    queryKey: ['campaigns', 'for-reports', () => session.project?.id],
    queryFn: () =>
      requestAll((part) => request('GET /api/v1/campaigns', { query: { project_id: session.project?.id, ...part } })),
  })
  return computed(() =>
    (found.data.value?.items ?? []).map((one) => ({
      value: `campaign:${one.id}`,
      label: `${one.experiment.name} ${numbered(one.number)}`,
    })),
  )
}

/** Series of the project, to be referred to. */
export function useReportSeries(): ComputedRef<Choice[]> {
  const session = useSession()
  const found = useQuery({
    queryKey: ['series', 'for-reports', () => session.project?.id],
    queryFn: () =>
      requestAll((part) => request('GET /api/v1/series', { query: { project_id: session.project?.id, ...part } })),
  })
  return computed(() =>
    (found.data.value?.items ?? []).map((one) => ({
      value: `series:${one.id}`,
      label: [
        `${one.target_name}, ${one.workload}, ${one.load_level.label}`,
        figureOf(one.metric)?.label ?? one.metric,
      ].join(': '),
    })),
  )
}

/** What others published and the project keeps, to be referred to. */
export function useReportPublished(): ComputedRef<Choice[]> {
  const session = useSession()
  const found = useQuery({
    queryKey: ['published-sources', 'for-reports', () => session.project?.id],
    queryFn: () =>
      requestAll((part) =>
        request('GET /api/v1/published-sources', { query: { project_id: session.project?.id, ...part } }),
      ),
  })
  return computed(() =>
    (found.data.value?.items ?? []).map((one) => ({
      value: `published:${one.id}`,
      label: `Published by others: ${one.source.title}`,
    })),
  )
}
