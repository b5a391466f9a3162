import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter, type Ref } from 'vue'

import { api, unwrap, unwrapAll, type AlertKind, type AlertState, type AlertUpdate } from '@/api'
import { useSession } from '@/session'

export type { Alert } from '@/api'

const REFRESH_MS = 30_000

/** What the queue is narrowed to by the server. */
export interface AlertFilter {
  state?: AlertState[]
  kind?: AlertKind
  assignee?: string
}

/** Alerts of the project, the latest raised first. */
export function useAlerts(filter: Ref<AlertFilter>) {
  const session = useSession()
  return useQuery({
    queryKey: ['alerts', 'list', () => session.project?.id, filter],
    queryFn: () =>
      unwrapAll((part) =>
        api.GET('/api/v1/alerts', { params: { query: { ...part, project_id: session.project?.id, ...filter.value } } }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

/** One alert with its range of commits and its history. */
export function useAlert(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['alerts', 'one', () => toValue(id)],
    queryFn: () => unwrap(api.GET('/api/v1/alerts/{alert_id}', { params: { path: { alert_id: toValue(id) } } })),
    refetchInterval: REFRESH_MS,
  })
}

/** How many alerts the project has, by state. */
export function useAlertCounts() {
  const session = useSession()
  return useQuery({
    queryKey: ['alerts', 'counts', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/alerts/counts', { params: { query: { project_id: session.project?.id } } })),
    refetchInterval: REFRESH_MS,
    enabled: () => session.session !== null,
  })
}

/** The series that an alert tells of. */
export function useSeriesOf(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['series', () => toValue(id)],
    queryFn: () => unwrap(api.GET('/api/v1/series/{series_id}', { params: { path: { series_id: toValue(id) } } })),
  })
}

/** Who can look after an alert. */
export function usePeople() {
  const session = useSession()
  return useQuery({
    queryKey: ['members', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/members', { params: { query: { project_id: session.project?.id } } })),
  })
}

/** Measures again what a campaign measured, where it would run now; compared with one that did. */
export function useBridge() {
  return useMutation({
    mutationFn: async ({ old, on, key }: { old: string; on: string; key: string }) => {
      const before = await unwrap(
        api.GET('/api/v1/campaigns/{campaign_id}', { params: { path: { campaign_id: old } } }),
      )
      return unwrap(
        api.POST('/api/v1/campaigns', {
          params: { header: { 'idempotency-key': key } },
          body: { experiment_id: before.experiment.id, revision: before.revision, base: `campaign:${on}` },
        }),
      )
    },
  })
}

/** What is said of an alert, on top of the version that was seen. */
export interface Triage {
  id: string
  version: number
  change: AlertUpdate
}

/** Says something of an alert; 412 when somebody else was first. */
export function useTriage() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, version, change }: Triage) =>
      unwrap(
        api.PATCH('/api/v1/alerts/{alert_id}', {
          params: { path: { alert_id: id }, header: { 'if-match': `"${version}"` } },
          body: change,
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
}
