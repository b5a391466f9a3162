import { describe, expect, it } from 'vitest'

import { archived } from './archive'

const BLOCK = 512

/** What a POSIX ustar archive holds, its checksums held against its headers. */
function unpacked(bytes: Uint8Array): [name: string, content: string][] {
  const text = (from: number, length: number) =>
    new TextDecoder().decode(bytes.slice(from, from + length)).replace(/\0.*$/s, '')
  const found: [string, string][] = []
  for (let at = 0; bytes[at];) {
    const header = bytes.slice(at, at + BLOCK).fill(32, 148, 156)
    expect(header.reduce((sum, byte) => sum + byte, 0)).toBe(Number.parseInt(text(at + 148, 8), 8))
    expect(text(at + 257, 6)).toBe('ustar')
    const size = Number.parseInt(text(at + 124, 12), 8)
    found.push([text(at, 100), text(at + BLOCK, size)])
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return found
}

describe('archived', () => {
  it('leaves one file as it is', () => {
    const only = { name: 'a.log', file: new Blob(['a']) }
    expect(archived([only])).toBe(only)
  })

  it('makes an archive of several', async () => {
    const made = archived([
      { name: 'one/a.log', file: new Blob(['first\n']) },
      { name: 'two/ä.log', file: new Blob(['x'.repeat(BLOCK)]) },
      { name: `${'folder/'.repeat(30)}run.log`, file: new Blob(['']) },
    ])
    expect(made.name).toBe('files.tar')
    const bytes = new Uint8Array(await made.file.arrayBuffer())
    const [first, second, third] = unpacked(bytes)
    expect(first).toEqual(['one/a.log', 'first\n'])
    expect(second).toEqual(['two/ä.log', 'x'.repeat(BLOCK)])
    expect(third![0]).toMatch(/folder\/run\.log$/)
    expect(bytes.slice(-2 * BLOCK).every((byte) => byte === 0)).toBe(true)
  })
})
