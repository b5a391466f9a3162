import { useMutation, useQueryClient, type QueryKey } from '@tanstack/vue-query'

/**
 * A change of what the server holds.
 *
 * @param stale keys of what the change makes stale, which is asked for anew; a text is a key of one part.
 * @param change asks the API for it.
 * @param when once it `succeeded`, or also when it was refused: `settled`, where a refusal means that there is
 *   something newer to see.
 */
export function useChange<Input = void, Output = unknown>(
  stale: readonly (string | QueryKey)[],
  change: (input: Input) => Promise<Output>,
  when: 'succeeded' | 'settled' = 'succeeded',
) {
  const queries = useQueryClient()
  const anew = () => Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key].flat() })))
  return useMutation({ mutationFn: change, [when === 'settled' ? 'onSettled' : 'onSuccess']: anew })
}
