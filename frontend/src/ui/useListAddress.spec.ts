import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

import { choiceField, textField } from './address'
import { useListAddress } from './useListAddress'

const fields = { q: textField(), status: choiceField(['any', 'failed'], 'any') }

async function listAt(address: string) {
  vi.useFakeTimers()
  let list!: ReturnType<typeof useListAddress<typeof fields>>
  const page = defineComponent({
    setup() {
      list = useListAddress(fields)
      return () => h('p')
    },
  })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: page }] })
  await router.push(address)
  mount(page, { global: { plugins: [router] } })
  const settled = async () => {
    await vi.runAllTimersAsync()
    await flushPromises()
    return router.currentRoute.value.query
  }
  return { list, settled }
}

describe('a list in the address', () => {
  afterEach(() => void vi.useRealTimers())

  it('is read from it', async () => {
    const { list } = await listAt('/?q=redis&status=failed&page=oldest')
    expect(list.filters.q.value).toBe('redis')
    expect(list.filters.status.value).toBe('failed')
    expect(list.cursor.value).toBe('oldest')
    expect(list.narrowed.value).toBe(2)
  })

  it('begins anew when it is narrowed in another way', async () => {
    const { list, settled } = await listAt('/?page=oldest&tab=campaigns')
    list.filters.status.value = 'failed'
    expect(await settled()).toEqual({ status: 'failed', tab: 'campaigns' })
  })

  it('is whole again at once', async () => {
    const { list, settled } = await listAt('/?q=redis&status=failed&page=oldest&tab=campaigns')
    list.clear()
    expect(list.narrowed.value).toBe(0)
    expect(await settled()).toEqual({ tab: 'campaigns' })
  })
})
