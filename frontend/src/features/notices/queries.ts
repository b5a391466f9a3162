import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { request, useChange, type ChannelCreate, type ChannelUpdate, type PreferencesWrite } from '@/api'
import { ofProject, useSession } from '@/session'

const REFRESH_MS = 30_000
const UNDER_WAY_MS = 1_000

/** What one wants to hear of, how and when. */
export function usePreferences() {
  return useQuery({
    queryKey: ['notice-settings'],
    queryFn: () => request('GET /api/v1/notices/settings'),
  })
}

/** Saves it. */
export function useSavePreferences() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PreferencesWrite) => request('PUT /api/v1/notices/settings', { body }),
    onSuccess: (saved) => queries.setQueryData(['notice-settings'], saved),
  })
}

/** The project's channels, by name; takes a maintainer. */
export function useChannels() {
  return useQuery({ ...ofProject('notice-channels', 'GET /api/v1/notices/channels'), select: (page) => page.items })
}

/** What maintainers do with channels. */
export function useChannelChanges() {
  const session = useSession()
  const stale = ['notice-channels']
  const of = (id: string) => ({ path: { channel_id: id } })
  return {
    make: useChange(stale, (body: Omit<ChannelCreate, 'project_id'>) =>
      request('POST /api/v1/notices/channels', { body: { ...body, project_id: session.project?.id ?? '' } }),
    ),
    change: useChange(stale, ({ id, body }: { id: string; body: ChannelUpdate }) =>
      request('PATCH /api/v1/notices/channels/{channel_id}', { ...of(id), body }),
    ),
    remove: useChange(stale, (id: string) => request('DELETE /api/v1/notices/channels/{channel_id}', of(id))),
    tryOut: useChange(['notice-deliveries'], (id: string) =>
      request('POST /api/v1/notices/channels/{channel_id}/test', of(id)),
    ),
    signAnew: useChange([], (id: string) => request('POST /api/v1/notices/channels/{channel_id}/secret', of(id))),
  }
}

/** What was sent over a channel lately; asked often while something is being tried. */
export function useDeliveries(channel: Ref<string | undefined>) {
  return useInfiniteQuery({
    queryKey: ['notice-deliveries', channel],
    queryFn: ({ pageParam }) =>
      request('GET /api/v1/notices/channels/{channel_id}/deliveries', {
        path: { channel_id: channel.value ?? '' },
        query: { limit: 50, cursor: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: (found) => found.pages.flatMap((page) => page.items),
    staleTime: 0,
    enabled: () => channel.value !== undefined,
    refetchInterval: (query) => {
      const found = query.state.data?.pages.flatMap((page) => page.items) ?? []
      return found.some((one) => one.state === 'pending') ? UNDER_WAY_MS : REFRESH_MS
    },
  })
}
