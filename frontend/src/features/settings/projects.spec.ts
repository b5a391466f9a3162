import { describe, expect, it } from 'vitest'

import { slugError, slugOf } from './projects'

describe('a slug', () => {
  it('follows from the name', () => {
    expect(slugOf('Storage team')).toBe('storage-team')
    expect(slugOf('  Müller & Söhne (2026)! ')).toBe('muller-sohne-2026')
    expect(slugOf('数据库')).toBe('')
    expect(slugOf('x'.repeat(100))).toHaveLength(63)
  })

  it('is told what is wrong with it', () => {
    for (const good of ['', 'a', '7-days', 'storage-team']) expect(slugError(good)).toBeUndefined()
    for (const bad of ['Storage', '-a', 'a b', 'ä']) expect(slugError(bad)).toContain('small letters')
  })

  it('that follows from a name is never wrong', () => {
    for (const name of ['--', 'A.B', 'ß', 'é è']) expect(slugError(slugOf(name))).toBeUndefined()
  })
})
