import { describe, expect, it } from 'vitest'

import { linksOf, notChained, shifted, workloadNames } from './chains'
import { useDraft } from './draft'
import { changedTo } from './scenarios'

const CHAINED = `slug: mine
workloads:
  - name: reads # many
  - name: writes
phases:
  measure_seconds: 5
  chain:
    - measure: writes # first
    - measure: reads
      warmup_seconds: 0
`

describe('a chain of phases in the form', () => {
  it('is read from the document, and says which workloads it leaves out', () => {
    const { document } = useDraft(CHAINED)
    expect(workloadNames(document.value)).toEqual(['reads', 'writes'])
    expect(linksOf(document.value)).toEqual([{ measure: 'writes' }, { measure: 'reads', warmup_seconds: 0 }])
    expect(notChained(document.value)).toEqual([])
    expect(notChained({ workloads: [{ name: 'a' }, { name: 'b' }], phases: { chain: [{ measure: 'b' }] } })).toEqual([
      'a',
    ])
    expect(linksOf({ phases: { chain: 'nonsense' } })).toEqual([])
    expect(workloadNames(null)).toEqual([])
  })

  it('changes the order of two neighbours, and nothing at its ends', () => {
    const links = [{ measure: 'a' }, { measure: 'b' }, { measure: 'c' }]
    expect(shifted(links, 0, 1).map((link) => link.measure)).toEqual(['b', 'a', 'c'])
    expect(shifted(links, 2, -1).map((link) => link.measure)).toEqual(['a', 'c', 'b'])
    expect(shifted(links, 0, -1)).toEqual(links)
    expect(shifted(links, 2, 1)).toEqual(links)
  })

  it('leaves the text as it was but for what is meant', () => {
    const draft = useDraft(CHAINED)
    draft.set(['phases', 'chain', 1, 'measure_seconds'], 9)
    expect(draft.text.value).toBe(`${CHAINED}      measure_seconds: 9\n`)
    draft.remove(['phases', 'chain', 1, 'measure_seconds'])
    expect(draft.text.value).toBe(CHAINED)
    draft.set(['phases', 'chain'], undefined)
    expect(draft.text.value).toBe(CHAINED.slice(0, CHAINED.indexOf('  chain:')))
  })

  it('goes with the fixed loads that it belongs to', () => {
    const draft = useDraft(CHAINED)
    for (const [key, value] of Object.entries(changedTo('soak', draft.document.value ?? {}))) draft.set([key], value)
    expect(draft.document.value).toEqual({
      slug: 'mine',
      workloads: [{ name: 'reads' }, { name: 'writes' }],
      phases: { measure_seconds: 5 },
      scenario: 'soak',
    })
    expect(changedTo('fixed', draft.document.value ?? {})).not.toHaveProperty('phases')
  })
})
