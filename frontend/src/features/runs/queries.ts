import { useQuery } from '@tanstack/vue-query'
import { watch, type Ref } from 'vue'

import { request, type Run } from '@/api'

const REFRESH_MS = 1500

/** As many points as a chart has room for; the server merges what is finer. */
const POINTS = 480
/** Columns of a heat map, which has half the page. */
const COLUMNS = 180

/** One run; asked again while it is under way. */
export function useRun(id: Ref<string>) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: () => request('GET /api/v1/runs/{run_id}', { path: { run_id: id.value } }),
    refetchInterval: (query) => (isUnderWay(query.state.data) ? REFRESH_MS : false),
  })
}

/** Whether a run may still change. */
export function isUnderWay(run: Run | undefined): boolean {
  return run?.completeness.complete === false
}

/** Asks once more when a run is over: what was read last was read before its end. */
export function withLastLook<T extends { refetch: () => Promise<unknown> }>(query: T, live: Ref<boolean>): T {
  watch(live, (now) => {
    if (!now) void query.refetch()
  })
  return query
}

function part<T>(name: string, id: Ref<string>, live: Ref<boolean>, ask: (path: { run_id: string }) => Promise<T>) {
  const query = useQuery({
    queryKey: ['run', id, name],
    queryFn: () => ask({ run_id: id.value }),
    refetchInterval: () => (live.value ? REFRESH_MS * 2 : false),
    // Thousands of numbers that are replaced as a whole: none is watched by itself.
    shallow: true,
  })
  return withLastLook(query, live)
}

/** Throughput, percentiles and resources over the run's seconds. */
export const useRunSeries = (id: Ref<string>, live: Ref<boolean>) =>
  part('series', id, live, (path) => request('GET /api/v1/runs/{run_id}/series', { path, query: { points: POINTS } }))

/** What was broken on purpose, and what it cost; nothing before the run completed. */
export const useRunFaults = (id: Ref<string>, live: Ref<boolean>) =>
  useQuery({
    // Asked again when the run ends: only then is there anything to tell.
    queryKey: ['run', id, 'faults', live],
    queryFn: () => request('GET /api/v1/runs/{run_id}/faults', { path: { run_id: id.value } }),
    enabled: () => !live.value,
  })

/** What the scenario of a run gave; only some have anything to tell. */
export const useRunScenario = (id: Ref<string>, asked: () => boolean, done: () => boolean) =>
  useQuery({
    queryKey: ['run', id, 'scenario', done],
    queryFn: () =>
      request('GET /api/v1/runs/{run_id}/scenario', { path: { run_id: id.value }, query: { points: POINTS } }),
    enabled: asked,
    shallow: true,
  })

/** What the system said of itself, and what passed disks and network. */
export const useRunGauges = (id: Ref<string>, live: Ref<boolean>) =>
  part('gauges', id, live, (path) => request('GET /api/v1/runs/{run_id}/gauges', { path, query: { points: POINTS } }))

/** The percentile spectrum of the measured phase. */
export const useRunSpectrum = (id: Ref<string>, live: Ref<boolean>) =>
  part('spectrum', id, live, (path) => request('GET /api/v1/runs/{run_id}/spectrum', { path }))

/** Operations by second and latency. */
export const useRunHeatmap = (id: Ref<string>, live: Ref<boolean>) =>
  part('heatmap', id, live, (path) =>
    request('GET /api/v1/runs/{run_id}/heatmap', { path, query: { columns: COLUMNS } }),
  )
