import { describe, expect, it } from 'vitest'

import type { Run } from '@/api'

import { fileAddress, inOrder, ownerOf, sizeInWords, type RunFile } from './files'

const file = (name: string, member?: number): RunFile => ({
  sha256: 'ab'.repeat(32),
  name,
  media_type: 'text/plain',
  size_bytes: 1,
  member,
})
const member = (index: number, name: string, slot = 'machine') =>
  ({ index, slot, agent: { id: name, name } }) as unknown as Run['members'][number]

describe('files of a run', () => {
  it('stand by machine, then by name, with numbers as numbers', () => {
    const files = [file('redis.conf', 1), file('LOG.old.10', 0), file('LOG.old.2'), file('LOG', 1)]
    expect(inOrder(files).map(({ name }) => name)).toEqual(['LOG.old.2', 'LOG.old.10', 'LOG', 'redis.conf'])
    expect(files[0]?.name).toBe('redis.conf')
  })

  it('say whose they are', () => {
    const members = [member(0, 'north'), member(1, 'south', 'b')]
    expect(ownerOf(file('LOG'), members)).toBe('north')
    expect(ownerOf(file('LOG', 1), members)).toBe('south slot b')
    expect(ownerOf(file('LOG', 2), members)).toBe('member 2')
  })

  it('say how large they are, bytes without a fraction', () => {
    expect([0, 7, 1023].map(sizeInWords)).toEqual(['0 B', '7 B', '1023 B'])
    expect(sizeInWords(1_572_864)).toBe('1.50 MiB')
  })

  it('are fetched of their run by their content', () => {
    expect(fileAddress('a/b', file('LOG'))).toBe(`/api/v1/runs/a%2Fb/artifacts/${'ab'.repeat(32)}`)
  })
})
