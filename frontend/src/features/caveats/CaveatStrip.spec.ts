import { mount, RouterLinkStub } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import type { Caveat } from '@/api'

import { footnotes } from './caveats'
import CaveatStrip from './CaveatStrip.vue'

const RUNS = Array.from({ length: 90 }, (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`)

function caveat(over: Partial<Caveat>): Caveat {
  return {
    id: 'check:co-located',
    kind: 'check',
    code: 'co-located',
    severity: 'caution',
    short: 'driver shares the machine',
    title: 'Driver and system shared a machine',
    text: 'They competed for its cores.',
    sides: [],
    runs: RUNS,
    runs_count: RUNS.length,
    runs_of: 90,
    evidence: [{ run_id: RUNS[0]!, side: 'c~redis', text: 'Eight cores.' }],
    help: '/docs/findings/co-located',
    ...over,
  }
}
const bar = caveat({
  id: 'statement:rocksdb-in-process',
  kind: 'statement',
  severity: 'bar',
  title: 'Not like with like',
  text: 'RocksDB runs inside the load driver.',
  sides: ['c~rocksdb'],
  runs: [],
  runs_count: 0,
  runs_of: 0,
  evidence: [],
})
const notes = [1, 2, 3].map((one) =>
  caveat({ id: `check:note-${one}`, short: `note ${one}`, severity: 'note', runs: [], runs_of: 0 }),
)

function strip(caveats: Caveat[]) {
  return mount(CaveatStrip, {
    props: { caveats, labels: { 'c~redis': 'Redis', 'c~rocksdb': 'RocksDB' } },
    global: { stubs: { RouterLink: RouterLinkStub } },
    attachTo: document.body,
  })
}
const chips = (wrapper: ReturnType<typeof strip>) => wrapper.findAll('button.chip')

describe('the strip of caveats', () => {
  it('counts runs that are not named, and those of pages kept before they were counted', async () => {
    const many = strip([caveat({ runs_count: 5000, runs_of: 5000 })])
    expect(chips(many)[0]!.text()).toBe('driver shares the machine · 5\u2009000 of 5\u2009000 runs')
    await chips(many)[0]!.trigger('click')
    expect(many.find('.runs').text()).toContain('The same of 4\u2009999 more runs, the latest of them: ')
    const older: Partial<Caveat> = caveat({})
    delete older.runs_count
    expect(chips(strip([older as Caveat]))[0]!.text()).toBe('driver shares the machine · 90 of 90 runs')
  })

  it('names the sides where two chips would say the same, here and in what leaves the house', () => {
    const whole = (side: string) =>
      caveat({ id: `statement:${side}`, short: 'Updates write the whole record', sides: [`c~${side}`], runs_of: 0 })
    const both = [whole('redis'), whole('rocksdb'), caveat({})]
    const texts = ['Updates write the whole record · Redis', 'Updates write the whole record · RocksDB']
    expect(chips(strip(both)).map((one) => one.text())).toEqual([...texts, 'driver shares the machine · 90 of 90 runs'])
    expect(footnotes(both).map((one) => one.short)[0]).toBe('Updates write the whole record · redis')
  })

  it('shows what bars numbers in full, and everything else as a chip with its count', () => {
    const wrapper = strip([bar, caveat({})])
    expect(wrapper.find('.bar').text()).toContain('RocksDB runs inside the load driver.')
    expect(chips(wrapper).map((one) => one.text())).toEqual(['driver shares the machine · 90 of 90 runs'])
    expect(wrapper.text()).not.toContain('Eight cores.')
    expect(wrapper.find('.total').text()).toBe('2 caveats')
  })

  it('says a title in full that its short form cuts off', () => {
    const title = 'One of those sentences that need more than eight words'
    const wrapper = strip([caveat({ title, short: 'One of those sentences that need more than…', runs_of: 0 })])
    expect(chips(wrapper).map((one) => one.text())).toEqual([title])
  })

  it('opens the evidence of a chip, with its runs linked, and closes it by Escape', async () => {
    const wrapper = strip([caveat({})])
    await chips(wrapper)[0]!.trigger('click')
    expect(chips(wrapper)[0]!.attributes('aria-expanded')).toBe('true')
    expect(wrapper.text()).toContain('Eight cores.')
    const links = wrapper.findAllComponents(RouterLinkStub)
    expect(links[0]!.props('to')).toEqual({ name: 'run', params: { run: RUNS[0] } })
    expect(wrapper.text()).toContain('89 more runs')
    await wrapper.trigger('keydown', { key: 'Escape' })
    expect(wrapper.text()).not.toContain('Eight cores.')
  })

  it('says what the one under pointer or focus concerns, and takes it back', async () => {
    const wrapper = strip([caveat({ sides: ['c~redis'] })])
    await chips(wrapper)[0]!.trigger('focus')
    await chips(wrapper)[0]!.trigger('blur')
    expect(wrapper.emitted('highlight')).toEqual([[{ sides: ['c~redis'], runs: RUNS }], [null]])
  })

  it('folds many notes behind one chip, and counts them all the same', async () => {
    const wrapper = strip([caveat({}), ...notes])
    expect(chips(wrapper).map((one) => one.text())).toEqual(['driver shares the machine · 90 of 90 runs', '3 notes'])
    await chips(wrapper)[1]!.trigger('click')
    expect(chips(wrapper)).toHaveLength(5)
    expect(wrapper.find('.total').text()).toBe('4 caveats')
  })

  it('says that there is nothing to say', () => {
    expect(strip([]).text()).toContain('No caveats')
  })
})

describe('footnotes', () => {
  it('carry the chip and the whole text', () => {
    expect(footnotes([caveat({})])).toEqual([
      {
        short: 'driver shares the machine · 90 of 90 runs',
        text: 'Driver and system shared a machine: They competed for its cores.',
      },
    ])
  })
})
