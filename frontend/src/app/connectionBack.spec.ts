import { QueryClient, QueryObserver } from '@tanstack/vue-query'
import { describe, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'

import { ApiProblem } from '@/api'

import { useConnection } from './connection'

describe('after nobody answered', () => {
  it('what got no answer is asked for anew by the first answer to anything else', async () => {
    const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
    const scope = effectScope()
    const { state } = scope.run(() => useConnection(queries))!
    let isAway = true
    const asked = vi.fn(() => (isAway ? Promise.reject(new ApiProblem(0, null)) : Promise.resolve('there')))
    const list = new QueryObserver<string>(queries, { queryKey: ['list'], queryFn: asked })
    const stop = list.subscribe(() => undefined)
    await vi.waitFor(() => expect(state.value).toBe('unanswered'))
    expect(list.getCurrentResult().status).toBe('error')
    isAway = false
    await queries.fetchQuery({ queryKey: ['other'], queryFn: () => Promise.resolve('heard') })
    await vi.waitFor(() => expect(list.getCurrentResult().data).toBe('there'))
    expect(state.value).toBe('well')
    stop()
    scope.stop()
  })
})
