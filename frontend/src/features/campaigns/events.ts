import { onScopeDispose, ref, watch, type Ref } from 'vue'

import type { Campaign, CampaignSummary } from '@/api'

/** A run's change as the event stream tells it. */
export interface RunEvent {
  run_id: string
  cell_id: string
  status: string
  phase: string | null
  failure: { message: string } | null
}

/** One second of the run that is being measured. */
export interface LiveEvent {
  run_id: string
  at: string
  throughput: number
  p50_us: number | null
  p99_us: number | null
  phase: string
  elapsed_seconds: number | null
}

/** How far a campaign is. */
export type ProgressEvent = Pick<Campaign, 'runs' | 'seconds_left'>

/** What was told of runs before the stream began, the oldest first. */
export interface LogEvent {
  /** The last event in it: what has a greater id came since. */
  until: number
  logged: { id: number; at: string; run: RunEvent }[]
}

/** What a listener wants to hear of. */
export interface Listener {
  campaign?: (event: CampaignSummary) => void
  progress?: (event: ProgressEvent) => void
  run?: (event: RunEvent, id: string) => void
  log?: (event: LogEvent) => void
  live?: (event: LiveEvent) => void
}

export type StreamState = 'connecting' | 'open' | 'closed'

/**
 * Follows a campaign's events while it is under way.
 *
 * The browser reconnects by itself and sends Last-Event-ID, so nothing is missed and nothing is
 * told twice; a server that refuses the stream ends it.
 *
 * @param id the campaign.
 * @param active whether to be connected; the stream closes when it turns false.
 * @param listener called for each event.
 * @returns the state of the connection.
 */
export function useCampaignEvents(id: string, active: Ref<boolean>, listener: Listener): Ref<StreamState> {
  const state = ref<StreamState>('closed')
  let source: EventSource | null = null

  function close(): void {
    source?.close()
    source = null
    state.value = 'closed'
  }

  function connect(): void {
    close()
    state.value = 'connecting'
    source = new EventSource(`/api/v1/campaigns/${encodeURIComponent(id)}/events`)
    source.onopen = () => {
      state.value = 'open'
    }
    source.onerror = () => {
      state.value = source?.readyState === EventSource.CLOSED ? 'closed' : 'connecting'
    }
    listen<CampaignSummary>(source, 'campaign', (event) => listener.campaign?.(event))
    listen<ProgressEvent>(source, 'progress', (event) => listener.progress?.(event))
    listen<RunEvent>(source, 'run', (event, eventId) => listener.run?.(event, eventId))
    listen<LogEvent>(source, 'log', (event) => listener.log?.(event))
    listen<LiveEvent>(source, 'live', (event) => listener.live?.(event))
  }

  watch(active, (on) => (on ? connect() : close()), { immediate: true })
  onScopeDispose(close)
  return state
}

function listen<T>(source: EventSource, kind: string, hear: (data: T, eventId: string) => void): void {
  source.addEventListener(kind, (event) => hear(JSON.parse(String(event.data)) as T, event.lastEventId))
}
