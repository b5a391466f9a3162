import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { api, unwrap, type ChannelCreate, type ChannelUpdate, type PreferencesWrite } from '@/api'
import { useSession } from '@/session'

const REFRESH_MS = 30_000
const UNDER_WAY_MS = 1_000

/** What one wants to hear of, how and when. */
export function usePreferences() {
  return useQuery({
    queryKey: ['notice-settings'],
    queryFn: () => unwrap(api.GET('/api/v1/notices/settings')),
  })
}

/** Saves it. */
export function useSavePreferences() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PreferencesWrite) => unwrap(api.PUT('/api/v1/notices/settings', { body })),
    onSuccess: (saved) => queries.setQueryData(['notice-settings'], saved),
  })
}

/** The project's channels, by name; takes a maintainer. */
export function useChannels() {
  const session = useSession()
  return useQuery({
    queryKey: ['notice-channels', () => session.project?.id],
    queryFn: () =>
      unwrap(api.GET('/api/v1/notices/channels', { params: { query: { project_id: session.project?.id } } })),
    select: (page) => page.items,
  })
}

/** What maintainers do with channels. */
export function useChannelChanges() {
  const queries = useQueryClient()
  const session = useSession()
  const changed = () => queries.invalidateQueries({ queryKey: ['notice-channels'] })
  const of = (id: string) => ({ params: { path: { channel_id: id } } })
  return {
    make: useMutation({
      mutationFn: (body: Omit<ChannelCreate, 'project_id'>) =>
        unwrap(api.POST('/api/v1/notices/channels', { body: { ...body, project_id: session.project?.id ?? '' } })),
      onSuccess: changed,
    }),
    change: useMutation({
      mutationFn: ({ id, body }: { id: string; body: ChannelUpdate }) =>
        unwrap(api.PATCH('/api/v1/notices/channels/{channel_id}', { ...of(id), body })),
      onSuccess: changed,
    }),
    remove: useMutation({
      mutationFn: (id: string) => unwrap(api.DELETE('/api/v1/notices/channels/{channel_id}', of(id))),
      onSuccess: changed,
    }),
    tryOut: useMutation({
      mutationFn: (id: string) => unwrap(api.POST('/api/v1/notices/channels/{channel_id}/test', of(id))),
      onSuccess: () => queries.invalidateQueries({ queryKey: ['notice-deliveries'] }),
    }),
    signAnew: useMutation({
      mutationFn: (id: string) => unwrap(api.POST('/api/v1/notices/channels/{channel_id}/secret', of(id))),
    }),
  }
}

/** What was sent over a channel lately; asked often while something is being tried. */
export function useDeliveries(channel: Ref<string | undefined>) {
  return useInfiniteQuery({
    queryKey: ['notice-deliveries', channel],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/api/v1/notices/channels/{channel_id}/deliveries', {
          params: { path: { channel_id: channel.value ?? '' }, query: { limit: 50, cursor: pageParam } },
        }),
      ),
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
