import { describe, expect, it } from 'vitest'

import { changedPlace, changedValue } from './revisionChanges'

describe('what changed between revisions', () => {
  it('is written as the document writes it', () => {
    expect(changedValue({ model: 'closed', clients: 8 })).toBe('model: closed\nclients: 8')
    expect(changedValue('Two targets')).toBe('Two targets')
    expect(changedValue(0.5)).toBe('0.5')
    expect(changedValue(false)).toBe('false')
    expect([changedValue(null), changedValue(undefined)]).toEqual(['', ''])
  })

  it('stands at a place that does not say the value again', () => {
    expect(changedPlace('load_levels[model closed, clients 8]')).toBe('load_levels')
    expect(changedPlace('targets[redis].parameters.save')).toBe('targets[redis].parameters.save')
    expect(changedPlace('load_levels[model closed, clients 8].pipeline')).toBe(
      'load_levels[model closed, clients 8].pipeline',
    )
    expect(changedPlace('name')).toBe('name')
  })
})
