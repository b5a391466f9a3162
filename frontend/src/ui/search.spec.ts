import { describe, expect, it } from 'vitest'
import { hasWords } from './search'

describe('hasWords', () => {
  it('wants every word, wherever it stands', () => {
    expect(hasWords(['Redis', undefined, 'Nightly YCSB'], 'ycsb red')).toBe(true)
    expect(hasWords(['Redis', 'Nightly YCSB'], 'ycsb valkey')).toBe(false)
    expect(hasWords(['Redis'], '  ')).toBe(true)
  })

  it.each([
    ['4', '4 clients', true],
    ['4', '64 clients', false],
    ['4', '64 clients, 4 KiB', true],
    ['4', '4096 B', true],
    ['9', 'p99', true],
    ['0.15', 'redis 7.0.15', true],
    ['7.0', 'redis 17.0', false],
    ['№ 4', '№ 14', false],
  ])('finds %s in %s where a number begins: %s', (wanted, told, found) => {
    expect(hasWords([told], wanted)).toBe(found)
  })
})
