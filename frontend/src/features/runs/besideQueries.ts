import { useQueries } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'

import { request, type Fill, type RunSeries } from '@/api'

import type { RunChoice, RunCourse } from './beside'

/** Points of each run: several share a chart. */
const POINTS = 240

/** The courses of several runs; undefined until all are there, so that none is taken for the whole. */
export function useRunCourses(chosen: Ref<readonly RunChoice[]>, fills: () => boolean) {
  const queries = useQueries({
    queries: computed(() =>
      chosen.value.map((one) => ({
        queryKey: ['run', one.run, 'beside', fills()],
        queryFn: async (): Promise<{ series: RunSeries; fill: Fill | null }> => {
          const params = { path: { run_id: one.run }, query: { points: POINTS } }
          const [series, scenario] = await Promise.all([
            request('GET /api/v1/runs/{run_id}/series', params),
            fills() ? request('GET /api/v1/runs/{run_id}/scenario', params) : null,
          ])
          return { series, fill: scenario?.fill ?? null }
        },
        // A run that has ended stays as it is.
        staleTime: 60_000,
      })),
    ),
    shallow: true,
  })
  const runs = computed<RunCourse[] | undefined>(() => {
    const found = chosen.value.flatMap((one, at) => {
      const data = queries.value[at]?.data
      return data ? [{ ...one, ...data }] : []
    })
    return found.length === chosen.value.length ? found : undefined
  })
  const error = computed(() => queries.value.find((one) => one.error)?.error ?? null)
  const again = () => Promise.all(queries.value.filter((one) => one.error).map((one) => one.refetch()))
  return { runs, error, again }
}
