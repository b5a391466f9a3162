import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter, type Ref } from 'vue'

import { request, whileIncomplete } from '@/api'
import { useSession } from '@/session'

import { distinct } from './metrics'
import { useSource, type AnswerAddress, type ComparisonAddress } from './source'

export type { AnswerAddress, ComparisonAddress }

/**
 * A comparison; the server computes it from merged histograms. Like all figures of sides it is asked for again
 * while more may come, until what was asked for by itself is complete.
 */
export function useComparison(address: Ref<ComparisonAddress>, enabled: Ref<boolean>, source = useSource()) {
  return useQuery({
    queryKey: ['comparisons', 'sides', address, source.key],
    queryFn: () => source.comparison(address.value),
    enabled,
    select: (comparison) => ({ ...comparison, sides: distinct(comparison.sides) }),
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}

/** What may be said of the sides on show by a figure; what was said before stays while this loads. */
export function useAnswer(address: Ref<ComparisonAddress>, view: Ref<AnswerAddress>, enabled: Ref<boolean>) {
  const source = useSource()
  return useQuery({
    queryKey: ['comparisons', 'answer', address, view, source.key],
    queryFn: () => source.answer(address.value, view.value),
    enabled,
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}

/** Where the same comparison is kept from as JSON, caveats included. */
export function comparisonApi(question: ComparisonAddress): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(question))
    for (const one of [value].flat()) asked.append(name, String(one))
  return `/api/v1/comparisons?${asked}`
}

/** Which distributions: of one cell and operation. */
export interface DistributionCell {
  workload: string
  load_level: string
  operation: string
}

/** Whole distributions of the sides at one cell; those of the cell before stay while these load. */
export function useDistributions(address: Ref<ComparisonAddress>, cell: Ref<DistributionCell>, enabled: Ref<boolean>) {
  return useQuery({
    queryKey: ['comparisons', 'distributions', address, cell],
    queryFn: () => request('GET /api/v1/comparisons/distributions', { query: { ...address.value, ...cell.value } }),
    enabled,
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}

/**
 * How the sides scale with their load.
 *
 * @param law whether the fitted law is wanted as well, which the server takes longer for.
 */
export function useScaling(address: Ref<ComparisonAddress>, law: boolean) {
  const source = useSource()
  return useQuery({
    queryKey: ['comparisons', 'scaling', address, law, source.key],
    queryFn: () => source.scaling(address.value, law),
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}

/** Memory and disk of the sides at one cell; those of the cell before stay while these load. */
export function useFootprint(
  address: Ref<ComparisonAddress>,
  cell: Ref<{ workload: string; load_level: string }>,
  enabled: Ref<boolean>,
) {
  return useQuery({
    queryKey: ['comparisons', 'footprint', address, cell],
    queryFn: () => request('GET /api/v1/comparisons/footprint', { query: { ...address.value, ...cell.value } }),
    enabled,
    refetchInterval: whileIncomplete,
    placeholderData: keepPreviousData,
  })
}

/** Part of the campaigns there are to compare, newest first: of the project, with a completed run. */
export function useComparableCampaigns(
  wanted: MaybeRefOrGetter<{ text: string; cursor: string }>,
  enabled: MaybeRefOrGetter<boolean> = true,
) {
  const session = useSession()
  return useQuery({
    queryKey: ['campaigns', 'comparable', () => session.project?.id, () => toValue(wanted)],
    queryFn: () => {
      const { text, cursor } = toValue(wanted)
      return request('GET /api/v1/campaigns', {
        query: {
          project_id: session.project?.id,
          measured: true,
          text: text || undefined,
          cursor: cursor || undefined,
          total: true,
        },
      })
    },
    enabled,
    placeholderData: keepPreviousData,
  })
}

/** The targets of a campaign, each once. */
export function useTargets(campaign: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaign', campaign],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}', { path: { campaign_id: toValue(campaign) } }),
    enabled: () => toValue(campaign) !== '',
    select: (found) => found.targets.map((one) => ({ target: one.name, label: one.label })),
  })
}
