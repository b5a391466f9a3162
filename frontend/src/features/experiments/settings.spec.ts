import { describe, expect, it } from 'vitest'

import type { ParameterSchema } from '@/features/systems'

import { groupsOf, isFound, kindOf, setWords, shownOf } from './settings'

const entries: [string, ParameterSchema][] = [
  ['hz', { title: 'Rate of upkeep', type: 'integer', 'x-setting': 'hz' }],
  ['maxmemory_bytes', { title: 'Memory limit', type: 'integer', 'x-setting': 'maxmemory', 'x-aspect': 'memory' }],
  ['appendfsync', { title: 'Log synchronisation', enum: ['always', 'no'], 'x-aspect': 'durability' }],
  ['tls', { title: 'TLS', type: 'boolean', 'x-aspect': 'encryption' }],
]

describe('settings in groups', () => {
  it('stand by what they bear on, the rest at the end', () => {
    const groups = groupsOf(entries)
    expect(groups.map(({ title }) => title)).toEqual(['Durability', 'Memory', 'Encryption', 'Others'])
    expect(groups[1]!.settings[0]).toMatchObject({ name: 'maxmemory_bytes', called: 'maxmemory' })
  })

  it('stand where their plugin puts them, whatever they are compared under', () => {
    const groups = groupsOf([
      ['files', { title: 'Files', 'x-group': 'storage' }],
      ['write_block', { title: 'Block', 'x-aspect': 'durability', 'x-group': 'storage' }],
    ])
    expect(groups).toMatchObject([{ title: 'Storage', settings: [{ name: 'files' }, { name: 'write_block' }] }])
  })

  it('are found by the product’s name as by ours', () => {
    const found = (search: string) =>
      shownOf(groupsOf(entries), (one) => isFound(one, search)).flatMap(({ settings }) =>
        settings.map(({ name }) => name),
      )
    expect(found('MAXMEM')).toEqual(['maxmemory_bytes'])
    expect(found('log sync')).toEqual(['appendfsync'])
    expect(found('')).toHaveLength(4)
    expect(found('nothing of that name')).toEqual([])
  })

  it('have the field that their type asks for', () => {
    expect(entries.map(([, property]) => kindOf(property))).toEqual(['number', 'number', 'choice', 'boolean'])
  })

  it('are told in one line as the product calls them', () => {
    expect(setWords(entries, { maxmemory_bytes: 1024, tls: true, odd: '' })).toBe('maxmemory 1024, tls yes, odd empty')
  })
})
