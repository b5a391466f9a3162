import { describe, expect, it } from 'vitest'

import { slugOf } from '@/ui'

import { slugError } from './projects'

describe('a project’s slug', () => {
  it('is told what is wrong with it', () => {
    for (const good of ['', 'a', '7-days', 'storage-team']) expect(slugError(good)).toBeUndefined()
    for (const bad of ['Storage', '-a', 'a b', 'ä']) expect(slugError(bad)).toContain('small letters')
  })

  it('that follows from a name is never wrong', () => {
    for (const name of ['--', 'A.B', 'ß', 'é è', '数据库']) expect(slugError(slugOf(name))).toBeUndefined()
  })
})
