import { mount } from '@vue/test-utils'
import { defineComponent, h, ref } from 'vue'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

/** The pages' modules, as they are with a figure that nobody knew. */
const modules = async () => ({
  rules: await import('@/features/alerts/rules'),
  words: await import('@/features/alerts/words'),
  course: await import('@/features/experiments/CourseSection.vue'),
  draft: await import('@/features/experiments/draft'),
  editor: await import('@/features/experiments/editor'),
  errors: await import('@/features/experiments/errors'),
  figures: await import('@/features/comparisons/figures'),
  ledger: await import('@/features/comparisons/ledger'),
  metrics: await import('@/features/comparisons/metrics'),
  told: await import('@/features/comparisons/testComparison'),
})
let pages: Awaited<ReturnType<typeof modules>>

beforeAll(async () => {
  vi.resetModules()
  // As the API's document would bring it.
  vi.doMock('@/api/figures', async (original) => {
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
  pages = await modules()
}, 120_000)

afterAll(() => {
  vi.doUnmock('@/api/figures')
  vi.resetModules()
})

function compared() {
  const { testComparison, testDifference, testEstimate } = pages.told
  const told = { ...testEstimate(2500), statistic: 'counted' as const }
  return {
    ...testComparison,
    cells: testComparison.cells.map((cell) => ({ ...cell, figures: { ...cell.figures, idle_us: told } })),
    differences: [
      ...testComparison.differences,
      testDifference('memcached', testComparison.load_levels[0]!, { metric: 'idle_us', baseline_median: 2500 }),
    ],
  }
}

it('stands in the ledger, behind those that are asked for first, with its words and unit', () => {
  const comparison = compared()
  const placed = comparison.sides.map((side, place) => ({ ...side, place }))
  const rows = pages.ledger
    .ledgerRows(comparison as never, placed as never)
    .filter((row) => row.side.key === 'memcached')
  expect(rows.map((row) => row.metric).slice(0, 2)).toEqual(['Throughput', 'Time between operations'])
  const { difference } = rows[1]!
  expect(pages.ledger.figureOf(difference, difference.baseline_median)).toBe('2.50\u202fms')
})

it('has its table to take along', () => {
  const comparison = compared()
  const kind = pages.metrics.metricKind('idle_us')!
  const found = pages.figures.byLevel(comparison, comparison.sides, 'reads', kind)
  expect(found.table.rows[0]).toEqual(['redis', '1 client', 2500, 2250, 2750, 'range of 2 repeats', 2])
})

it('can be chosen in History and watched by a rule', () => {
  expect(pages.metrics.METRICS.filter((one) => one.inHistory).map((one) => one.key)).toContain('idle_us')
  expect(pages.rules.FIGURE_CHOICES.map((one) => one.value)).toContain('idle_us')
  expect(pages.words.written('idle_us', 2500)).toBe('2.50 ms')
})

it('has a field among the thresholds of an experiment', () => {
  const errors = ref(new pages.errors.FieldErrors([]))
  const editor = { draft: pages.draft.useDraft('slug: one\n'), errors, readonly: ref(false) }
  const page = mount(
    defineComponent({
      setup() {
        pages.editor.provideEditor(editor as never)
        return () => h(pages.course.default)
      },
    }),
  )
  expect(page.text()).toContain('Time between operations')
})
