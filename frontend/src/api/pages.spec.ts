import { describe, expect, it } from 'vitest'

import { requestAll } from './pages'

/** A list of so many items, as the API gives it out. */
function listOf(count: number) {
  const asked: (string | undefined)[] = []
  const ask = ({ limit, cursor }: { limit: number; cursor: string | undefined }) => {
    asked.push(cursor)
    const from = Number(cursor ?? 0)
    const items = Array.from({ length: Math.min(limit, count - from) }, (_, at) => from + at)
    const next = from + items.length
    return Promise.resolve({ items, next_cursor: next < count ? String(next) : null })
  }
  return { ask, asked }
}

describe('all of a list', () => {
  it('is asked for part after part, until there is no more', async () => {
    const list = listOf(450)
    expect((await requestAll(list.ask)).items).toEqual(Array.from({ length: 450 }, (_, at) => at))
    expect(list.asked).toEqual([undefined, '200', '400'])
  })

  it('is one question where one part holds it', async () => {
    const list = listOf(200)
    expect((await requestAll(list.ask)).items).toHaveLength(200)
    expect(list.asked).toHaveLength(1)
  })
})
