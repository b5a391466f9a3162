import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

import type { Part } from './parts'
import UiPager from './UiPager.vue'

const WORDS: [string, string] = ['campaign', 'campaigns']
const middle: Part = { next_cursor: 'n', previous_cursor: 'p', total: { count: 1000, is_exact: true } }

async function shown(part: Part, cursor = '', more: Record<string, unknown> = {}) {
  const page = defineComponent({
    render: () => [
      h(UiPager, { part, cursor, shown: 50, words: WORDS, list: 'list', ...more }),
      h('div', { id: 'list', tabindex: -1 }),
    ],
  })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:any*', component: page }] })
  await router.push('/campaigns?status=failed&page=m')
  const wrapper = mount(page, { global: { plugins: [router] }, attachTo: document.body })
  return { wrapper, router }
}

describe('the ways through a list', () => {
  afterEach(() => (document.body.innerHTML = ''))

  it('are links that keep what the list is narrowed to', async () => {
    const { wrapper } = await shown(middle, 'm')
    const links = wrapper.findAll('a').map((one) => [one.text(), one.attributes('href')])
    expect(links).toEqual([
      ['Newest', '/campaigns?status=failed'],
      ['Newer', '/campaigns?status=failed&page=p'],
      ['Older', '/campaigns?status=failed&page=n'],
      ['Oldest', '/campaigns?status=failed&page=oldest'],
    ])
    expect(wrapper.get('[role=status]').text()).toBe('50 of 1\u2009000 campaigns')
  })

  it('lead nowhere where there is nothing, and say so', async () => {
    const { wrapper } = await shown({ next_cursor: 'n', previous_cursor: null })
    const [newest, , older] = wrapper.findAll('a')
    expect(newest?.attributes()).toMatchObject({ role: 'link', 'aria-disabled': 'true' })
    expect(newest?.attributes('href')).toBeUndefined()
    expect(older?.attributes('href')).toBeDefined()
  })

  it('are not shown where all is on show, how many there are is', async () => {
    const { wrapper } = await shown({ total: { count: 50, is_exact: true } })
    expect(wrapper.find('nav').exists()).toBe(false)
    expect(wrapper.text()).toBe('50 campaigns')
    expect((await shown({ total: null }, '', { below: true })).wrapper.text()).toBe('')
  })

  it('lead the keyboard to the list', async () => {
    const { wrapper, router } = await shown(middle, 'm')
    await wrapper.findAll('a')[2]?.trigger('click')
    await flushPromises()
    expect(router.currentRoute.value.query).toEqual({ status: 'failed', page: 'n' })
    expect(document.activeElement?.id).toBe('list')
  })
})
