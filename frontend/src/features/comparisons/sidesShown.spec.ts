import { mount } from '@vue/test-utils'
import { computed, defineComponent, h, ref, type Component } from 'vue'
import { describe, expect, it } from 'vitest'

import type { Comparison } from '@/api'

import CompareLedger from './CompareLedger.vue'
import SideChips from './SideChips.vue'
import { testComparison, testSide } from './testComparison'
import { provideCompare, type CompareView } from './view'

/** A part of the page over a comparison, as text. */
function shown(part: Component, comparison: Comparison): string {
  const state = {
    figure: ref('throughput'),
    find: ref(''),
    sort: ref('cell'),
    long: ref(false),
    row: ref(''),
    order: ref([]),
    hidden: ref([]),
    base: ref(''),
  } as unknown as CompareView['state']
  const page = defineComponent({
    setup() {
      provideCompare(
        state,
        computed(() => comparison),
      )
      return () => h(part)
    },
  })
  return mount(page).text().replaceAll(/\s+/g, ' ')
}

const alone: Comparison = { ...testComparison, sides: [testSide('redis')], differences: [] }
const among = (numbers: readonly number[]): Comparison => ({
  ...testComparison,
  sides: numbers.map((number, at) => testSide(`side ${at}`, { campaign_id: `c${number}`, campaign_number: number })),
})

describe('the ledger', () => {
  it('offers no choice among differences where there are none', () => {
    expect(shown(CompareLedger, alone)).toBe('LedgerIt takes two sides with results at the same load.')
    expect(shown(CompareLedger, testComparison)).toContain('all 1')
  })
})

describe('the sides', () => {
  it('say of which campaign they are where they are of several', () => {
    expect(shown(SideChips, among([22, 23]))).toMatch(/side 0.*№ 22.*side 1.*№ 23/)
    expect(shown(SideChips, among([22, 22]))).not.toContain('№')
    const [first, second] = among([22, 23]).sides
    const named = { ...testComparison, sides: [{ ...first!, label: 'Redis № 22' }, second!] }
    expect(shown(SideChips, named).match(/№ 22/g)).toHaveLength(1)
  })
})
