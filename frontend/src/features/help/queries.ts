import { useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { documentAt } from '@/api'

/** A page of the documentation, as HTML. */
export function useHelp(path: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['help', path],
    queryFn: ({ signal }) => documentAt(toValue(path), signal),
    staleTime: 300_000,
  })
}
