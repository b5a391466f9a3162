import { describe, expect, it } from 'vitest'

import type { Setting } from '@/api'

import { differs, setBy, whyNone } from './settings'

const line = (more: Partial<Setting>): Setting => ({
  name: 'port',
  value: '7',
  default: '6379',
  source: 'default',
  ...more,
})

describe('settings of a run', () => {
  it('do not differ from what is not known', () => {
    for (const source of ['operator', 'unknown', 'plugin', 'place', 'system', 'default'] as const)
      expect(differs(line({ source, default: null })), source).toBe(false)
    expect(differs(line({ source: 'experiment', default: null }))).toBe(true)
  })

  it('differ from what the vendor ships', () => {
    expect(differs(line({ source: 'place' }))).toBe(true)
    expect(differs(line({ source: 'system' }))).toBe(true)
    expect(differs(line({ value: '6379' }))).toBe(false)
    expect(differs(line({ source: 'experiment', value: '6379' }))).toBe(true)
  })

  it('say who set them', () => {
    expect(
      ['default', 'experiment', 'plugin', 'place', 'system', 'operator', 'unknown'].map((source) =>
        setBy(line({ source: source as Setting['source'] })),
      ),
    ).toEqual([
      'vendor',
      'experiment',
      'plugin',
      'plugin: its place',
      'follows from others',
      'whoever set it up',
      'not known',
    ])
  })

  it('say why none is listed', () => {
    expect(whyNone([], '')).toBe('The configuration was not captured.')
    expect(whyNone([], '', true)).toBe('The system refused to tell its configuration.')
    expect(whyNone([line({ value: '6379' })], '')).toBe('Everything is as the vendor ships it.')
    expect(whyNone([line({ default: null, source: 'operator' })], '')).toBe(
      'What the vendor ships is not known of a system that was there before.',
    )
    expect(whyNone([line({})], 'xyz')).toBe('No such setting among them.')
  })
})
