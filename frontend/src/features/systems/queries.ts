import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'

import { request, type System } from '@/api'
import { ofProject, useSession } from '@/session'

/** All systems that plugins describe. */
export function useSystems() {
  return useQuery({
    ...ofProject(['systems', 'of'], 'GET /api/v1/systems'),
    select: (page) => page.items,
    staleTime: 300_000,
  })
}

/** One system, with its documentation. */
export function useSystem(id: MaybeRefOrGetter<string>) {
  const session = useSession()
  return useQuery({
    queryKey: ['systems', id, () => session.project?.id],
    queryFn: () =>
      request('GET /api/v1/systems/{system_id}', {
        path: { system_id: toValue(id) },
        query: { project_id: session.project?.id },
      }),
  })
}

/** Finds a system by its identifier, as soon as the list is there. */
export function useSystemLookup() {
  const systems = useSystems()
  const byId = computed(() => new Map(systems.data.value?.map((system) => [system.id, system])))
  return (id: string): System | undefined => byId.value.get(id)
}
