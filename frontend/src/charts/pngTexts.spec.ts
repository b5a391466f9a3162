import { describe, expect, it } from 'vitest'

import { withTexts } from './pngTexts'

/** One white pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=='

interface Chunk {
  type: string
  data: Uint8Array
}

/** The chunks of a PNG. */
async function chunksOf(picture: Blob): Promise<Chunk[]> {
  const bytes = new Uint8Array(await picture.arrayBuffer())
  const view = new DataView(bytes.buffer)
  const found: Chunk[] = []
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at)
    const type = read(bytes.subarray(at + 4, at + 8))
    found.push({ type, data: bytes.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return found
}

function read(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

describe('texts in a PNG', () => {
  it('stand behind its header, and its pixels stay', async () => {
    const texts = { Title: 'Latência <p99>', Description: 'Redis leads.', Source: '' }
    const chunks = await chunksOf(withTexts(PIXEL, texts))
    expect(chunks.map((one) => one.type)).toEqual(['IHDR', 'iTXt', 'iTXt', 'IDAT', 'IEND'])
    expect(read(chunks[1]!.data)).toBe('Title\0\0\0\0\0Latência <p99>')
    expect(read(chunks[2]!.data)).toBe('Description\0\0\0\0\0Redis leads.')
    const before = await chunksOf(withTexts(PIXEL, {}))
    expect(chunks[3]!.data).toEqual(before[1]!.data)
  })

  it('have the checksum of their bytes', async () => {
    const bytes = await withTexts(PIXEL, { Title: 'a' }).arrayBuffer()
    // Of `iTXtTitle…a`, by another program: zlib's crc32 in Python.
    expect(new DataView(bytes).getUint32(8 + 25 + 8 + 11)).toBe(2237194183)
  })

  it('are no more than texts', async () => {
    const chunks = await chunksOf(withTexts(PIXEL, { Title: 'a\0b' }))
    expect(read(chunks[1]!.data)).toBe('Title\0\0\0\0\0ab')
  })
})
