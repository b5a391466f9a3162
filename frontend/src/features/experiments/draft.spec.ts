import { describe, expect, it } from 'vitest'

import { useDraft } from './draft'

const TEXT = `# a study
slug: sweep # stays
targets:
  - name: redis
    system: redis
    parameters:
      io_threads: 2
repetitions: 5
`

describe('a draft', () => {
  it('changes the value meant and keeps comments', () => {
    const draft = useDraft(TEXT)
    draft.set(['repetitions'], 7)
    expect(draft.get(['repetitions'])).toBe(7)
    expect(draft.text.value).toContain('# a study')
    expect(draft.text.value).toContain('slug: sweep # stays')
    expect(draft.changed.value).toBe(true)
  })

  it('makes mappings on the way and drops those left empty', () => {
    const draft = useDraft(TEXT)
    draft.set(['phases', 'warmup_seconds'], 2)
    expect(draft.get(['phases'])).toEqual({ warmup_seconds: 2 })
    draft.set(['targets', 0, 'parameters', 'io_threads'], undefined)
    expect(draft.get(['targets', 0])).toEqual({ name: 'redis', system: 'redis' })
  })

  it('drops mappings within mappings that are left empty, and no list', () => {
    const draft = useDraft('slug: x\n')
    draft.set(['placement', 'servers', 'machines'], 3)
    draft.set(['placement', 'servers', 'machines'], undefined)
    expect(draft.document.value).toEqual({ slug: 'x' })
    draft.set(['faults'], [{ node: 1 }])
    draft.remove(['faults', 0])
    expect(draft.document.value).toEqual({ slug: 'x', faults: [] })
  })

  it('appends to a list and begins one', () => {
    const draft = useDraft('slug: x\n')
    draft.append(['workloads'], { name: 'a' })
    draft.append(['workloads'], { name: 'b' })
    expect(draft.document.value).toEqual({ slug: 'x', workloads: [{ name: 'a' }, { name: 'b' }] })
    draft.remove(['workloads', 0])
    expect(draft.get(['workloads'])).toEqual([{ name: 'b' }])
  })

  it('says why a text cannot be read, and leaves it as it is', () => {
    const draft = useDraft('slug: [\n')
    expect(draft.syntaxError.value).not.toBe('')
    expect(draft.document.value).toBeNull()
    draft.set(['slug'], 'x')
    expect(draft.text.value).toBe('slug: [\n')
    draft.text.value = '- a list\n'
    expect(draft.syntaxError.value).toBe('The document has to be a mapping.')
  })

  it('is unchanged after a reset', () => {
    const draft = useDraft(TEXT)
    draft.set(['repetitions'], 9)
    draft.reset(draft.text.value)
    expect(draft.changed.value).toBe(false)
  })
})
