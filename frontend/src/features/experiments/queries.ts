import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { ApiProblem, request, requestAll, useChange } from '@/api'
import { useSession } from '@/session'

/** The project's experiments. */
export function useExperiments() {
  const session = useSession()
  return useQuery({
    queryKey: ['experiments', () => session.project?.id],
    queryFn: () =>
      requestAll((part) => request('GET /api/v1/experiments', { query: { project_id: session.project?.id, ...part } })),
    select: (page) => page.items,
  })
}

/** One experiment by identifier or slug. */
export function useExperiment(key: MaybeRefOrGetter<string>) {
  const session = useSession()
  return useQuery({
    queryKey: ['experiment', key],
    queryFn: () =>
      request('GET /api/v1/experiments/{experiment}', {
        path: { experiment: toValue(key) },
        query: { project_id: session.project?.id },
      }),
  })
}

/** The experiment that measures what a campaign's calibration found; asked for when `campaign` is there. */
export function useOperatingPoints(campaign: MaybeRefOrGetter<string>, take: MaybeRefOrGetter<'value' | 'low'>) {
  return useQuery({
    queryKey: ['campaign', campaign, 'operating-points', take],
    queryFn: () =>
      request('GET /api/v1/campaigns/{campaign_id}/operating-points', {
        path: { campaign_id: toValue(campaign) },
        query: { take: toValue(take) },
      }),
    enabled: () => toValue(campaign) !== '',
  })
}

/** All revisions, newest first. */
export function useRevisions(experimentId: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['experiment', experimentId, 'revisions'],
    queryFn: () =>
      requestAll((part) =>
        request('GET /api/v1/experiments/{experiment}/revisions', {
          path: { experiment: toValue(experimentId) },
          query: part,
        }),
      ),
    select: (page) => page.items,
  })
}

/** One revision with its document. */
export function useRevision(experimentId: MaybeRefOrGetter<string>, number: MaybeRefOrGetter<number>) {
  return useQuery({
    queryKey: ['experiment', experimentId, 'revisions', number],
    queryFn: () =>
      request('GET /api/v1/experiments/{experiment}/revisions/{number}', {
        path: { experiment: toValue(experimentId), number: toValue(number) },
      }),
    enabled: () => toValue(experimentId) !== '',
    // While a newer revision is fetched the one before stays: what is edited on it must not vanish.
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })
}

/** What changed from one revision to another. */
export function useRevisionDiff(
  experimentId: MaybeRefOrGetter<string>,
  from: MaybeRefOrGetter<number>,
  to: MaybeRefOrGetter<number>,
) {
  return useQuery({
    queryKey: ['experiment', experimentId, 'diff', from, to],
    queryFn: () =>
      request('GET /api/v1/experiments/{experiment}/revisions/{from}/diff/{to}', {
        path: { experiment: toValue(experimentId), from: toValue(from), to: toValue(to) },
      }),
    select: (diff) => diff.changes,
    enabled: () => toValue(from) !== toValue(to),
    staleTime: Infinity,
  })
}

/** The published studies, ready to run. */
export function useTemplates() {
  return useQuery({
    queryKey: ['experiment-templates'],
    queryFn: () => request('GET /api/v1/experiment-templates'),
    staleTime: Infinity,
  })
}

/** What the server says of a document; the last answer stays while the next is on its way. */
export function useValidation(yaml: MaybeRefOrGetter<string>) {
  const session = useSession()
  return useQuery({
    queryKey: ['experiment-validation', yaml, () => session.project?.id],
    queryFn: () =>
      request('POST /api/v1/experiments/validate', {
        query: { project_id: session.project?.id },
        body: { yaml: toValue(yaml) },
      }),
    enabled: () => toValue(yaml).trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  })
}

/** The fairness sheet of a document that has not run; the last answer stays while the next is on its way. */
export function useDraftFairness(yaml: MaybeRefOrGetter<string>, readable: MaybeRefOrGetter<boolean>) {
  const session = useSession()
  return useQuery({
    queryKey: ['experiment-fairness', yaml, () => session.project?.id],
    queryFn: () =>
      request('POST /api/v1/experiments/fairness', {
        query: { project_id: session.project?.id },
        body: { yaml: toValue(yaml) },
      }),
    enabled: () => toValue(readable),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  })
}

/** What the project's machines cannot tell in throughput with so many repeats. */
export function useNoiseFloors(repetitions: MaybeRefOrGetter<number>) {
  const session = useSession()
  return useQuery({
    queryKey: ['noise-floors', () => session.project?.id, 'throughput', repetitions],
    queryFn: () =>
      request('GET /api/v1/noise-floors', {
        query: { project_id: session.project?.id, metric: 'throughput', repetitions: toValue(repetitions) },
      }),
    select: (found) => found.items,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  })
}

/** What a system's configuration file comes to as a target; nothing is saved. */
export function useTargetFromFile() {
  const session = useSession()
  return useChange([], (body: { file: string; text: string; system: string | null }) =>
    request('POST /api/v1/experiments/target-from-file', { query: { project_id: session.project?.id }, body }),
  )
}

/** What a property file of YCSB's comes to as a workload; nothing is saved. */
export function useWorkloadFromFile() {
  const session = useSession()
  return useChange([], (body: { file: string; text: string }) =>
    request('POST /api/v1/experiments/workload-from-file', { query: { project_id: session.project?.id }, body }),
  )
}

/** Creates an experiment from a YAML document. */
export function useCreateExperiment() {
  const session = useSession()
  return useChange(['experiments'], (yaml: string) =>
    request('POST /api/v1/experiments', { body: { yaml, project_id: session.project?.id } }),
  )
}

/**
 * Saves a new revision on top of the one that was edited.
 *
 * When somebody else saved in between, the server answers 412 and nothing is overwritten.
 */
export function useSaveRevision(experimentId: MaybeRefOrGetter<string>) {
  return useChange(
    ['experiments', 'experiment'],
    ({ yaml, base }: { yaml: string; base: number }) =>
      request('POST /api/v1/experiments/{experiment}/revisions', {
        path: { experiment: toValue(experimentId) },
        header: { 'if-match': `"${base}"` },
        body: { yaml },
      }),
    'settled',
  )
}

/** Starts a campaign; the key makes a repeated request harmless. */
export function useStartCampaign() {
  return useChange(
    ['campaigns', 'experiments'],
    ({ experimentId, key, priority }: { experimentId: string; key: string; priority: number }) =>
      request('POST /api/v1/campaigns', {
        header: { 'idempotency-key': key },
        body: { experiment_id: experimentId, priority },
      }),
  )
}

/** Whether saving failed because somebody else saved first. */
export function isStale(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 412 || error.status === 409)
}
