import { mount } from '@vue/test-utils'
import { defineComponent, h } from 'vue'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { provideBeside } from './beside'
import ChartFrame from './ChartFrame.vue'

vi.mock('vue-echarts', () => ({ default: { name: 'VChart', inheritAttrs: true, render: () => h('div') } }))

const caveat = { short: 'One machine · 6 of 6 runs', text: 'One machine: driver and system shared it.' }
const table = { columns: ['clients', 'Redis'], rows: [[4, 1200]] }

const SO_FAR = 'so far, 12 of 30 runs, at 2026-11-26 19:40 UTC'

/** A page that says what stands beside its charts, with one chart that says nothing of it. */
function page(props: Record<string, unknown> = {}, soFar = '') {
  const Page = defineComponent({
    setup() {
      provideBeside(() => ({ measured: { workload: 'balanced', sides: ['Redis'] }, footnotes: [caveat], soFar }))
      return () => h(ChartFrame, { title: 'p99', unit: 'µs', draw: () => ({}), table, ...props })
    },
  })
  return mount(Page, { attachTo: document.body })
}

afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

/** What a click on an export hands to the browser: the file's name and its text. */
async function exported(wrapper: ReturnType<typeof page>, label: string) {
  let blob: Blob | undefined
  let name = ''
  URL.createObjectURL = (given) => ((blob = given as Blob), 'blob:here')
  URL.revokeObjectURL = () => undefined
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    name = this.download
  })
  await wrapper.find('[aria-label="Export p99"]').trigger('click')
  const items = Array.from(document.querySelectorAll<HTMLElement>('[role="menuitem"]'))
  items.find((one) => one.textContent?.includes(label))!.click()
  return { name, text: await blob!.text() }
}

describe('the frame of a chart', () => {
  it('names its buttons after the chart, and the chart by its sentence', () => {
    const wrapper = page({ sentence: 'p99 of Redis is 1.2 ms at 4 clients' })
    expect(wrapper.find('[aria-label="Table of p99"]').exists()).toBe(true)
    expect(wrapper.find('[role="img"]').attributes('aria-label')).toContain('p99 of Redis is 1.2 ms at 4 clients')
  })

  it('exports what the page says beside it, what it is of, and the address of the view', async () => {
    history.replaceState(null, '', '/compare?campaign=1&level=4')
    const { name, text } = await exported(page({ measured: { load: '4 clients' } }), 'CSV')
    expect(name).toBe('p99-balanced-4-clients-redis.csv')
    const lines = text.split('\r\n')
    expect(lines[0]).toBe('# p99 (µs) · balanced · 4 clients · Redis')
    expect(lines[1]).toBe('# Caveats: One machine · 6 of 6 runs [1]')
    expect(lines[2]).toBe('# [1] One machine: driver and system shared it.')
    expect(lines[3]).toContain('/compare?campaign=1&level=4')
    expect(lines[4]).toBe('clients,Redis')
    expect(text).not.toContain('so far')
  })

  it('says of how many runs the figures are, on itself, in the name of the file and on its first line', async () => {
    const wrapper = page({}, SO_FAR)
    expect(wrapper.find(`[title="${SO_FAR}"]`).text()).toBe('so far')
    const { name, text } = await exported(wrapper, 'CSV')
    expect(name).toBe('so-far-12-of-30-runs-at-2026-11-26-19-40-utc-p99-balanced-redis.csv')
    expect(text.split('\r\n')[0]).toBe('# So far, 12 of 30 runs, at 2026-11-26 19:40 UTC · p99 (µs) · balanced · Redis')
    expect(page().text()).not.toContain('so far')
  })
})
