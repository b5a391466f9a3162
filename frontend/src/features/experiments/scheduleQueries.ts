import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { ApiProblem, request, useChange, type Schedule } from '@/api'

/** What is sent to set a schedule. */
export type ScheduleInput = Pick<Schedule, 'cron' | 'time_zone' | 'enabled' | 'overlap' | 'missed'>

const REFRESH_MS = 30_000

/** The experiment's schedule; null when it has none. */
export function useSchedule(experimentId: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['experiment', experimentId, 'schedule'],
    queryFn: async () => {
      try {
        return await request('GET /api/v1/experiments/{experiment}/schedule', {
          path: { experiment: toValue(experimentId) },
        })
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null
        throw error
      }
    },
  })
}

/** What became of the schedule's dates, newest first; asked again now and then. */
export function useOccurrences(experimentId: MaybeRefOrGetter<string>) {
  return useInfiniteQuery({
    queryKey: ['experiment', experimentId, 'occurrences'],
    queryFn: ({ pageParam }) =>
      request('GET /api/v1/experiments/{experiment}/schedule/occurrences', {
        path: { experiment: toValue(experimentId) },
        query: { limit: 50, cursor: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: (found) => found.pages.flatMap((page) => page.items),
    refetchInterval: REFRESH_MS,
  })
}

/** The next instants a cron expression means. */
export function useSchedulePreview(cron: MaybeRefOrGetter<string>, timeZone: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['schedule-preview', cron, timeZone],
    queryFn: () =>
      request('POST /api/v1/schedules/preview', { body: { cron: toValue(cron), time_zone: toValue(timeZone) } }),
    select: (preview) => preview.next,
    enabled: () => toValue(cron).trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** Sets or removes the schedule. */
export function useScheduleChange(experimentId: MaybeRefOrGetter<string>) {
  const stale = ['experiment', 'experiments']
  const path = () => ({ experiment: toValue(experimentId) })
  const save = useChange(stale, (schedule: ScheduleInput) =>
    request('PUT /api/v1/experiments/{experiment}/schedule', { path: path(), body: schedule }),
  )
  const remove = useChange(stale, () => request('DELETE /api/v1/experiments/{experiment}/schedule', { path: path() }))
  return { save, remove }
}
