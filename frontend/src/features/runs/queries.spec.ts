import { describe, expect, it, vi } from 'vitest'
import { nextTick, ref } from 'vue'

import { withLastLook } from './queries'

describe('what is read of a run', () => {
  it('is read once more when the run is over, and not when it begins', async () => {
    const live = ref(false)
    const refetch = vi.fn(() => Promise.resolve())
    withLastLook({ refetch }, live)
    live.value = true
    await nextTick()
    expect(refetch).not.toHaveBeenCalled()
    live.value = false
    await nextTick()
    expect(refetch).toHaveBeenCalledTimes(1)
  })
})
