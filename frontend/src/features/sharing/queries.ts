import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, type ShareWrite } from '@/api'

/** One of what can be shared, as the API names it. */
export type Subject = Pick<ShareWrite, 'campaign_id' | 'series_id' | 'comparison' | 'report_id'>

/** What was chosen in the dialog. */
export interface Wanted {
  title: string
  visibility: NonNullable<ShareWrite['visibility']>
  /** Empty: until it is taken back. */
  days: string
  password: string
  /** What stands now is kept, and shown whatever comes later. */
  frozen: boolean
}

/** Shares something; the list is asked for anew. */
export function useShare(subject: MaybeRefOrGetter<Subject>) {
  return useChange(['shares'], ({ title, visibility, days, password, frozen }: Wanted) =>
    request('POST /api/v1/shares', {
      body: {
        ...toValue(subject),
        title,
        visibility,
        frozen,
        days: days ? Number(days) : null,
        password: visibility === 'link' && password ? password : null,
      },
    }),
  )
}

/** Part of all that is and was shared of a project, newest first. */
export function useShares(project: MaybeRefOrGetter<string | undefined>, cursor: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['shares', project, cursor],
    queryFn: () =>
      request('GET /api/v1/shares', {
        query: { project_id: toValue(project) ?? '', cursor: toValue(cursor) || undefined, total: true },
      }),
    enabled: () => toValue(project) !== undefined,
    placeholderData: keepPreviousData,
  })
}

/** Takes something back. */
export function useRevoke() {
  return useChange(['shares'], (id: string) =>
    request('POST /api/v1/shares/{share_id}/revoke', { path: { share_id: id } }),
  )
}
