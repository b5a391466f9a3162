import { describe, expect, it } from 'vitest'

import { slugAfter, slugOf } from './slugs'

describe('slugOf', () => {
  it.each([
    ['Redis, four clients', 'redis-four-clients'],
    ['  Größe & Café № 4 ', 'gro-e-cafe-no-4'],
    ['…', ''],
    ['x'.repeat(80), 'x'.repeat(63)],
  ])('of %j is %j', (name, slug) => expect(slugOf(name)).toBe(slug))
})

describe('a slug', () => {
  it('follows the name until somebody writes another', () => {
    expect(slugAfter('', '', 'Nightly')).toBe('nightly')
    expect(slugAfter('nightly', 'Nightly', 'Nightly 2')).toBe('nightly-2')
    expect(slugAfter('ours', 'Nightly', 'Nightly 2')).toBe('ours')
  })
})
