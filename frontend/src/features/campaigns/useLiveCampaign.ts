import { useQueryClient } from '@tanstack/vue-query'
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'

import type { Campaign, RunStatus } from '@/api'

import { useCampaignEvents, type LiveEvent, type StreamState } from './events'
import { hasRun, lineOf, placeOf, withLog, withRunStatus, type LogLine } from './progress'
import { isOpen, useCampaign } from './queries'

const KEPT_SAMPLES = 90
const KEPT_LINES = 100

/**
 * A campaign that keeps itself up to date: its events change the matrix at once, and what they
 * do not carry (figures, time left) is asked for again soon after.
 *
 * @param id the campaign.
 */
export function useLiveCampaign(id: string): {
  query: ReturnType<typeof useCampaign>
  lines: Ref<LogLine[]>
  samples: Ref<LiveEvent[]>
  place: ComputedRef<string>
  stream: Ref<StreamState>
} {
  const queries = useQueryClient()
  const query = useCampaign(id)
  const lines = ref<LogLine[]>([])
  const samples = shallowRef<LiveEvent[]>([])
  const active = computed(() => isOpen(query.data.value))
  /** Of one that is over, the stream is followed until it has told what was logged. */
  const logged = ref(false)
  const followed = computed(() => active.value || (query.data.value !== undefined && !logged.value))

  const change = (edit: (campaign: Campaign) => Campaign) =>
    queries.setQueryData<Campaign>(['campaign', id], (old) => (old ? edit(old) : old))

  const refresh = () => void queries.invalidateQueries({ queryKey: ['campaign', id] })
  // Whoever tells of the end: what was read of it before is asked for anew.
  watch(active, (now) => {
    if (now) return
    refresh()
    void queries.invalidateQueries({ queryKey: ['comparisons'] })
  })

  /** What the log has told of each run; a stream begins with how all runs stand, which is no news. */
  const told = new Map<string, string>()
  function isNews(campaign: Campaign, runId: string, status: string): boolean {
    if (told.size === 0) {
      for (const run of campaign.cells.flatMap((cell) => cell.runs)) told.set(run.id, run.status)
    }
    if (told.get(runId) === status) return false
    told.set(runId, status)
    return true
  }

  const stream = useCampaignEvents(id, followed, {
    campaign: (event) => change((old) => ({ ...old, ...event })),
    progress: (event) => change((old) => ({ ...old, ...event })),
    run(event, eventId) {
      const campaign = query.data.value
      if (!campaign || !isNews(campaign, event.run_id, event.status)) return
      // Blocks are added while a campaign grows; the matrix has to be asked for.
      if (!hasRun(campaign, event.run_id)) refresh()
      change((old) => withRunStatus(old, event.run_id, event.status as RunStatus))
      lines.value = [lineOf(campaign, event, Number(eventId), Date.now()), ...lines.value].slice(0, KEPT_LINES)
      // Its figures stand only in the campaign itself.
      if (event.status === 'completed') refresh()
    },
    log(event) {
      if (query.data.value) lines.value = withLog(lines.value, query.data.value, event).slice(0, KEPT_LINES)
      logged.value = true
    },
    live(event) {
      const same = samples.value.at(-1)?.run_id === event.run_id
      samples.value = [...(same ? samples.value : []), event].slice(-KEPT_SAMPLES)
    },
  })

  const place = computed(() => {
    const run = samples.value.at(-1)?.run_id
    return run && query.data.value ? placeOf(query.data.value, run) : ''
  })
  return { query, lines, samples, place, stream }
}
