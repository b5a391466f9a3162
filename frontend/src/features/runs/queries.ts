import { useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap, type Run, type RunHeatmap, type RunSeries, type RunSpectrum } from '@/api'

const REFRESH_MS = 1500

/** One run; asked again while it is under way. */
export function useRun(id: Ref<string>) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: () => unwrap<Run>(api.GET('/api/v1/runs/{run_id}', { params: { path: { run_id: id.value } } })),
    refetchInterval: (query) => (isUnderWay(query.state.data) ? REFRESH_MS : false),
  })
}

/** Whether a run may still change. */
export function isUnderWay(run: Run | undefined): boolean {
  return run !== undefined && ['queued', 'allocated', 'running', 'settling'].includes(run.status)
}

function part<T>(name: 'series' | 'spectrum' | 'heatmap', id: Ref<string>, live: Ref<boolean>) {
  return useQuery({
    queryKey: ['run', id, name],
    queryFn: () => unwrap<T>(api.GET(`/api/v1/runs/{run_id}/${name}`, { params: { path: { run_id: id.value } } })),
    refetchInterval: () => (live.value ? REFRESH_MS * 2 : false),
  })
}

/** Throughput, percentiles and resources over the run's seconds. */
export const useRunSeries = (id: Ref<string>, live: Ref<boolean>) => part<RunSeries>('series', id, live)

/** The percentile spectrum of the measured phase. */
export const useRunSpectrum = (id: Ref<string>, live: Ref<boolean>) => part<RunSpectrum>('spectrum', id, live)

/** Operations by second and latency. */
export const useRunHeatmap = (id: Ref<string>, live: Ref<boolean>) => part<RunHeatmap>('heatmap', id, live)
