import { QueryCache, QueryClient, type QueryCacheNotifyEvent } from '@tanstack/vue-query'
import { describe, expect, it } from 'vitest'

import { ApiProblem } from '@/api'

import { heardFrom, isAway } from './connection'

async function told(answer: () => Promise<string>): Promise<(string | null)[]> {
  const events: QueryCacheNotifyEvent[] = []
  const cache = new QueryCache()
  cache.subscribe((event) => events.push(event))
  const queries = new QueryClient({ queryCache: cache })
  await queries.fetchQuery({ queryKey: ['one'], queryFn: answer, retry: 1, retryDelay: 0 }).catch(() => null)
  return events.map(heardFrom).filter((said) => said !== null)
}

describe('whether the platform answers', () => {
  it('hears an answer, also one that refuses', async () => {
    expect(await told(() => Promise.resolve('yes'))).toEqual(['heard'])
    expect(new Set(await told(() => Promise.reject(new ApiProblem(404, {}))))).toEqual(new Set(['heard']))
  })

  it('misses it at the first attempt already, not only when all have failed', async () => {
    expect(await told(() => Promise.reject(new ApiProblem(0, {})))).toEqual(['missed', 'missed'])
  })

  it('counts a proxy that speaks for a platform that is away', () => {
    expect([0, 502, 503, 504].every((status) => isAway(new ApiProblem(status, {})))).toBe(true)
    expect([400, 404, 500].some((status) => isAway(new ApiProblem(status, {})))).toBe(false)
    expect(isAway(new Error('a fault of our own'))).toBe(false)
  })
})
