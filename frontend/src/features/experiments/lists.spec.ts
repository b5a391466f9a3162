import { describe, expect, it } from 'vitest'

import { useDraft } from './draft'
import { addressesIn, freshName, useList } from './lists'

describe('lists of the form', () => {
  it('finds names that are free', () => {
    expect(freshName('redis', ['memcached'])).toBe('redis')
    expect(freshName('redis', ['redis', 'redis-2'])).toBe('redis-3')
    expect(freshName('redis-2', ['redis-2'])).toBe('redis-3')
  })

  it('parts addresses, and none in itself', () => {
    expect(addressesIn('tcp://a:1, tcp://b:2,tls://c:3\nd:4')).toEqual(['tcp://a:1', 'tcp://b:2', 'tls://c:3', 'd:4'])
    expect(addressesIn(' mongodb://a,b:2/x?w=1 ')).toEqual(['mongodb://a,b:2/x?w=1'])
    expect(addressesIn(' , ')).toEqual([])
  })

  it('adds, duplicates under another name, and removes', () => {
    const draft = useDraft('targets:\n  - {name: redis, system: redis}\n')
    const list = useList(draft, 'targets')
    list.duplicate(0)
    expect(list.items.value.map((item) => item['name'])).toEqual(['redis', 'redis-2'])
    list.add({ name: 'redis' })
    expect(list.items.value[2]).toEqual({ name: 'redis-3' })
    list.remove(0)
    expect(list.items.value).toHaveLength(2)
  })

  it('shows nothing for a list that is not there or not a list', () => {
    expect(useList(useDraft('a: 1\n'), 'targets').items.value).toEqual([])
    expect(useList(useDraft('targets: 1\n'), 'targets').items.value).toEqual([])
  })
})
