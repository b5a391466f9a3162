import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter, type Ref } from 'vue'

import { request, requestAll, useChange, type AlertKind, type AlertState, type AlertUpdate } from '@/api'
import { ofProject, useSession } from '@/session'

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
      requestAll((part) =>
        request('GET /api/v1/alerts', { query: { ...part, project_id: session.project?.id, ...filter.value } }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

/** One alert with its range of commits and its history. */
export function useAlert(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['alerts', 'one', () => toValue(id)],
    queryFn: () => request('GET /api/v1/alerts/{alert_id}', { path: { alert_id: toValue(id) } }),
    refetchInterval: REFRESH_MS,
  })
}

/** How many alerts the project has, by state. */
export function useAlertCounts() {
  const session = useSession()
  return useQuery({
    ...ofProject(['alerts', 'counts'], 'GET /api/v1/alerts/counts'),
    refetchInterval: REFRESH_MS,
    enabled: () => session.session !== null,
  })
}

/** The series that an alert tells of. */
export function useSeriesOf(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['series', () => toValue(id)],
    queryFn: () => request('GET /api/v1/series/{series_id}', { path: { series_id: toValue(id) } }),
  })
}

/** Who can look after an alert. */
export function usePeople() {
  return useQuery(ofProject('members', 'GET /api/v1/members'))
}

/** Measures again what a campaign measured, where it would run now; compared with one that did. */
export function useBridge() {
  return useChange([], async ({ old, on, key }: { old: string; on: string; key: string }) => {
    const before = await request('GET /api/v1/campaigns/{campaign_id}', { path: { campaign_id: old } })
    return request('POST /api/v1/campaigns', {
      header: { 'idempotency-key': key },
      body: { experiment_id: before.experiment.id, revision: before.revision, base: `campaign:${on}` },
    })
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
  return useChange(
    ['alerts'],
    ({ id, version, change }: Triage) =>
      request('PATCH /api/v1/alerts/{alert_id}', {
        path: { alert_id: id },
        header: { 'if-match': `"${version}"` },
        body: change,
      }),
    'settled',
  )
}
