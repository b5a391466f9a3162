import { describe, expect, it } from 'vitest'

import { useDraft } from './draft'
import { applyChanges, changeWords } from './equalization'

const TEXT = `# two caches
targets:
  - name: redis # the first
    system: redis
    parameters:
      appendonly: true
  - name: memcached
    system: memcached
`

describe('making sides equal', () => {
  it('sets what is to be set, takes out what is to be its default, and keeps comments', () => {
    const draft = useDraft(TEXT)
    const count = applyChanges(draft, [
      { target: 0, path: ['parameters', 'appendonly'], before: true, after: null },
      { target: 0, path: ['parameters', 'save'], before: null, after: '' },
      { target: 1, path: ['limits', 'cpus'], before: null, after: 1 },
    ])
    expect(count).toBe(3)
    expect(draft.get(['targets', 0, 'parameters'])).toEqual({ save: '' })
    expect(draft.get(['targets', 1, 'limits'])).toEqual({ cpus: 1 })
    expect(draft.text.value).toContain('redis # the first')
  })

  it('keeps false and empty apart from what is taken out', () => {
    const draft = useDraft(TEXT)
    applyChanges(draft, [{ target: 1, path: ['parameters', 'evictions'], before: null, after: false }])
    expect(draft.get(['targets', 1, 'parameters', 'evictions'])).toBe(false)
  })

  it('speaks short words', () => {
    const words = (path: string[], after: string | number | boolean | null) =>
      changeWords({ target: 0, path, before: null, after })
    expect(words(['parameters', 'save'], '')).toBe('save = empty')
    expect(words(['parameters', 'evictions'], false)).toBe('evictions = no')
    expect(words(['parameters', 'appendonly'], null)).toBe('appendonly at its default')
    expect(words(['limits', 'cpus'], null)).toBe('no limit of cpus')
  })
})
