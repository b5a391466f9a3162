import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, type ReportBody, type ReportSource } from '@/api'
import { useSession } from '@/session'

/** What a report is begun of, beside its title. */
export type Begun = Omit<ReportSource, 'name'>

/** Part of the reports of the project, newest first. */
export function useReports(cursor: MaybeRefOrGetter<string>) {
  const session = useSession()
  return useQuery({
    queryKey: ['reports', () => session.project?.id, cursor],
    queryFn: () =>
      request('GET /api/v1/reports', {
        query: { project_id: session.project?.id, cursor: toValue(cursor) || undefined, total: true },
      }),
    placeholderData: keepPreviousData,
  })
}

/** A report with what stands now. */
export function useReport(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['reports', 'one', id],
    queryFn: () => request('GET /api/v1/reports/{report_id}', { path: { report_id: toValue(id) } }),
  })
}

/** Begins a report out of a template. */
export function useBegin() {
  const session = useSession()
  return useChange(['reports'], (wanted: { title: string; template: Template; sources: ReportSource[] }) =>
    request('POST /api/v1/reports', {
      body: {
        project_id: session.project?.id ?? '',
        title: wanted.title,
        template: wanted.template,
        audience: 'internal',
        sources: wanted.sources,
      },
    }),
  )
}

/** What a report can begin as. */
export type Template = 'comparison' | 'study' | 'regression' | 'monthly' | 'release'

/** Saves a text on top of the revision that was edited. */
export function useSave(id: MaybeRefOrGetter<string>) {
  return useChange(['reports'], ({ body, revision }: { body: ReportBody; revision: number }) =>
    request('PUT /api/v1/reports/{report_id}', {
      path: { report_id: toValue(id) },
      header: { 'if-match': `"${revision}"` },
      body,
    }),
  )
}

/** A report as it is now, whatever is kept here. */
export const readReport = (id: string) => request('GET /api/v1/reports/{report_id}', { path: { report_id: id } })

/** How a draft looks, and what else it may refer to. */
export function useDraft(id: MaybeRefOrGetter<string>, body: MaybeRefOrGetter<ReportBody>) {
  return useQuery({
    queryKey: ['report-draft', id, body],
    queryFn: () =>
      request('POST /api/v1/reports/{report_id}/draft', { path: { report_id: toValue(id) }, body: toValue(body) }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}

/** Makes an edition. */
export function useFreeze(id: MaybeRefOrGetter<string>) {
  return useChange(['reports'], () =>
    request('POST /api/v1/reports/{report_id}/editions', { path: { report_id: toValue(id) } }),
  )
}

/** Takes a report away. */
export function useRemove(id: MaybeRefOrGetter<string>) {
  return useChange([], () => request('DELETE /api/v1/reports/{report_id}', { path: { report_id: toValue(id) } }))
}

/** An edition, and what changed since. */
export function useEdition(id: MaybeRefOrGetter<string>, number: MaybeRefOrGetter<number>) {
  return useQuery({
    queryKey: ['reports', 'edition', id, number],
    queryFn: () =>
      request('GET /api/v1/reports/{report_id}/editions/{number}', {
        path: { report_id: toValue(id), number: toValue(number) },
      }),
  })
}

/** Where a file of a report lies. */
export const fileOf = (id: string, form: 'pdf' | 'markdown' | 'html', edition?: number): string =>
  `/api/v1/reports/${id}/file?form=${form}${edition ? `&edition=${edition}` : ''}`
