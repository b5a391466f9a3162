import { describe, expect, it } from 'vitest'

import { labelText, plainValues, readLabels } from './labels'

describe('labels of agents', () => {
  it('are read as pairs, parted by spaces or commas', () => {
    expect(readLabels(' role=db,site=lab  rack=a=1 ')).toEqual({
      labels: { role: 'db', site: 'lab', rack: 'a=1' },
      unclear: [],
    })
  })

  it('names words that are no pairs instead of guessing', () => {
    expect(readLabels('role =db site= role=db')).toEqual({ labels: { role: 'db' }, unclear: ['role', '=db', 'site='] })
  })

  it('are written as they are read', () => {
    const labels = { role: 'db', site: 'lab' }
    expect(readLabels(labelText(labels)).labels).toEqual(labels)
    expect(labelText(undefined)).toBe('')
    expect(labelText({ role: 3 })).toBe('role=3')
  })
})

describe('settings beside parameters', () => {
  it('keep numbers and flags as such, and what is written otherwise as it is', () => {
    expect(plainValues({ maxclients: '20000', timeout: '060', lru_crawler: 'false', share: '5%', f: '1.5' })).toEqual({
      maxclients: 20000,
      timeout: '060',
      lru_crawler: false,
      share: '5%',
      f: 1.5,
    })
  })
})
