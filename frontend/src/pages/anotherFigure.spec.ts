import { mount } from '@vue/test-utils'
import { defineComponent, h, ref } from 'vue'
import { expect, it, vi } from 'vitest'

import { FIGURE_CHOICES } from '@/features/alerts/rules'
import { written as writtenInAlert } from '@/features/alerts/words'
import CourseSection from '@/features/experiments/CourseSection.vue'
import { useDraft } from '@/features/experiments/draft'
import { provideEditor } from '@/features/experiments/editor'
import { FieldErrors } from '@/features/experiments/errors'
import { byLevel } from '@/features/comparisons/figures'
import { figureOf, ledgerRows } from '@/features/comparisons/ledger'
import { metricKind, METRICS } from '@/features/comparisons/metrics'
import { testComparison, testDifference, testEstimate } from '@/features/comparisons/testComparison'

// A figure that nobody knew, as the API's document would bring it.
vi.mock('@/api/figures', async (original) => {
  const { FIGURES } = await original<{ FIGURES: { throughput: object } }>()
  const idle = {
    ...FIGURES.throughput,
    label: 'Time between operations',
    short: 'between',
    unit: 'µs',
    scale: 'time',
    moreIsBetter: false,
    note: 'of the phase, an operation',
    readAt: 15,
    primaryOf: null,
    threshold: 0.04,
    askedAs: null,
    inHistory: true,
  }
  return { FIGURES: { ...FIGURES, idle_us: idle } }
})

const told = { ...testEstimate(2500), statistic: 'counted' as const }
const comparison = {
  ...testComparison,
  cells: testComparison.cells.map((cell) => ({ ...cell, figures: { ...cell.figures, idle_us: told } })),
  differences: [
    ...testComparison.differences,
    testDifference('memcached', testComparison.load_levels[0]!, { metric: 'idle_us', baseline_median: 2500 }),
  ],
}
const placed = comparison.sides.map((side, place) => ({ ...side, place }))

it('stands in the ledger, behind those that are asked for first, with its words and unit', () => {
  const rows = ledgerRows(comparison as never, placed as never).filter((row) => row.side.key === 'memcached')
  expect(rows.map((row) => row.metric).slice(0, 2)).toEqual(['Throughput', 'Time between operations'])
  expect(figureOf(rows[1]!.difference, rows[1]!.difference.baseline_median)).toBe('2.50\u202fms')
})

it('has its table to take along', () => {
  const found = byLevel(comparison, comparison.sides, 'reads', metricKind('idle_us')!)
  expect(found.table.rows[0]).toEqual(['redis', '1 client', 2500, 2250, 2750, 'range of 2 repeats', 2])
})

it('can be chosen in History and watched by a rule', () => {
  expect(METRICS.filter((one) => one.inHistory).map((one) => one.key)).toContain('idle_us')
  expect(FIGURE_CHOICES.map((one) => one.value)).toContain('idle_us')
  expect(writtenInAlert('idle_us', 2500)).toBe('2.50 ms')
})

it('has a field among the thresholds of an experiment', () => {
  const editor = { draft: useDraft('slug: one\n'), errors: ref(new FieldErrors([])), readonly: ref(false) }
  const page = mount(
    defineComponent({
      setup() {
        provideEditor(editor as never)
        return () => h(CourseSection)
      },
    }),
  )
  expect(page.text()).toContain('Time between operations')
})
