import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { api, request, unwrap, useChange, type Agent } from '@/api'
import { ofProject, useSession } from '@/session'

const REFRESH_MS = 10_000

/** The project's agents, asked for again while the page is open: heartbeats go on. */
export function useAgents() {
  return useQuery({ ...ofProject('agents', 'GET /api/v1/agents'), refetchInterval: REFRESH_MS })
}

/** Those of the project's agents that are there; undefined while it is not known. */
export function usePresentAgents() {
  const agents = useAgents()
  return computed(() =>
    agents.data.value?.items.filter(({ status }) => status !== 'revoked' && status !== 'unreachable'),
  )
}

/** One agent, out of the list. */
export function useAgent(id: MaybeRefOrGetter<string>) {
  const agents = useAgents()
  return {
    ...agents,
    find: () => agents.data.value?.items.find((agent) => agent.id === toValue(id)),
  }
}

/** What the machine of an agent cannot tell, by cell and figure. */
export function useNoiseFloors(agent: MaybeRefOrGetter<string>) {
  const session = useSession()
  return useQuery({
    queryKey: ['noise-floors', () => session.project?.id, agent],
    queryFn: () =>
      request('GET /api/v1/noise-floors', { query: { project_id: session.project?.id, agent_id: toValue(agent) } }),
    staleTime: 60_000,
  })
}

/** What may be asked of an agent. */
export type AgentAction = 'drain' | 'undrain' | 'revoke' | 'update'

/** Drains an agent, takes it back, brings it up to date, or revokes it for good. */
export function useAgentAction() {
  return useChange(['agents'], ({ id, action }: { id: string; action: AgentAction }) =>
    request(`POST /api/v1/agents/{agent_id}/${action}`, { path: { agent_id: id } }),
  )
}

/** A registration token: good for one machine, for an hour. */
export function useRegistrationToken() {
  const session = useSession()
  return useChange([], (labels: Record<string, string>) =>
    request('POST /api/v1/agent-registration-tokens', {
      body: { project_id: session.project?.id, labels, expires_in_minutes: 60 },
    }),
  )
}

/** What may be changed of an agent, with the tag of what was seen. */
export interface AgentChange {
  id: string
  tag: string
  labels: Record<string, string>
  /** Projects that it works for; undefined: they stay. */
  lentTo: string[] | undefined
}

/** One agent as it stands now, with the tag that a change has to name. */
export async function readAgent(id: string): Promise<{ agent: Agent; tag: string }> {
  const answer = await api.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id: id } } })
  return { agent: await unwrap(Promise.resolve(answer)), tag: answer.response.headers.get('ETag') ?? '*' }
}

/** Changes labels and projects on top of what was seen; 412 when somebody else was first. */
export function useAgentChange() {
  return useChange(
    ['agents'],
    (change: AgentChange) =>
      request('PATCH /api/v1/agents/{agent_id}', {
        path: { agent_id: change.id },
        header: { 'if-match': change.tag },
        body: { labels: change.labels, lent_to: change.lentTo },
      }),
    'settled',
  )
}
