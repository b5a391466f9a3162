import { useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import type { Ref } from 'vue'

import { request, useChange } from '@/api'
import { useSession } from '@/session'

const REFRESH_MS = 30_000

/** How much under one's bell was not read; asked again and again. */
export function useUnread() {
  const session = useSession()
  return useQuery({
    queryKey: ['notices', 'count'],
    queryFn: () => request('GET /api/v1/notices/count'),
    select: (answer) => answer.unread_count,
    refetchInterval: REFRESH_MS,
    enabled: () => session.session !== null,
  })
}

/** What is under one's bell, the newest first, while it is looked at. */
export function useNotices(open: Ref<boolean>) {
  return useInfiniteQuery({
    queryKey: ['notices', 'list'],
    queryFn: ({ pageParam }) => request('GET /api/v1/notices', { query: { limit: 20, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 0,
    enabled: open,
  })
}

/** Marks notices as read; without ids all. */
export function useMarkRead() {
  return useChange(['notices'], (ids: string[] | null) => request('POST /api/v1/notices/read', { body: { ids } }))
}
