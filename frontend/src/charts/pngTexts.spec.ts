import { inflateSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { withTexts } from './pngTexts'

/** One white pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=='

/** The chunks of a PNG. */
async function chunksOf(picture: Blob): Promise<{ type: string; data: Buffer }[]> {
  const bytes = Buffer.from(await picture.arrayBuffer())
  const found: { type: string; data: Buffer }[] = []
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const checked = bytes.subarray(at + 4, at + 8 + length)
    found.push({ type: checked.subarray(0, 4).toString('latin1'), data: checked.subarray(4) })
    at += 12 + length
  }
  return found
}

describe('texts in a PNG', () => {
  it('stand behind its header, and its pixels stay', async () => {
    const texts = { Title: 'Latência <p99>', Description: 'Redis leads.', Source: '' }
    const chunks = await chunksOf(withTexts(PIXEL, texts))
    expect(chunks.map((one) => one.type)).toEqual(['IHDR', 'iTXt', 'iTXt', 'IDAT', 'IEND'])
    expect(chunks[1]!.data.toString('utf8')).toBe('Title\0\0\0\0\0Latência <p99>')
    expect(chunks[2]!.data.toString('utf8')).toBe('Description\0\0\0\0\0Redis leads.')
    expect(inflateSync(chunks[3]!.data)).toHaveLength(2)
  })

  it('have the checksum of their bytes', async () => {
    const bytes = Buffer.from(await withTexts(PIXEL, { Title: 'a' }).arrayBuffer())
    // Of `iTXtTitle…a`, by another program: zlib's crc32 in Python.
    expect(bytes.readUInt32BE(8 + 25 + 8 + 11)).toBe(2237194183)
  })

  it('are no more than texts', async () => {
    const chunks = await chunksOf(withTexts(PIXEL, { Title: 'a\0b' }))
    expect(chunks[1]!.data.toString('utf8')).toBe('Title\0\0\0\0\0ab')
  })
})
