import { describe, expect, it } from 'vitest'

import { mayReload } from './lostChunks'

function memory() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  }
}

describe('a page whose part is gone', () => {
  it('is loaded anew once, and not for ever', () => {
    const kept = memory()
    expect(mayReload(kept, '/history?x=1 2', 1_000_000)).toBe(true)
    expect(mayReload(kept, '/history?x=1 2', 1_010_000)).toBe(false)
  })

  it('is loaded anew for another address, and later again', () => {
    const kept = memory()
    expect(mayReload(kept, '/history', 1_000_000)).toBe(true)
    expect(mayReload(kept, '/compare', 1_001_000)).toBe(true)
    expect(mayReload(kept, '/compare', 1_100_000)).toBe(true)
  })
})
