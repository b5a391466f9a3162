/** Texts inside of a PNG: its title, its alternative text, what stands beside it (PNG, 3rd edition, 11.3.3). */

const SIGNATURE_BYTES = 8
/** The header's chunk: length, type, thirteen bytes, checksum. */
const HEADER_BYTES = 25

const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** CRC-32 as PNG has it (ISO 3309). */
function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = CHECKSUMS[(value ^ byte) & 0xff]! ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}

/** An `iTXt` chunk: UTF-8, as it is. */
function chunk(keyword: string, text: string): Uint8Array {
  const data = new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text.replaceAll('\0', '')}`)
  const made = new Uint8Array(data.length + 8)
  const view = new DataView(made.buffer)
  view.setUint32(0, data.length - 4)
  made.set(data, 4)
  view.setUint32(4 + data.length, checksum(data))
  return made
}

/**
 * A picture with texts in it; empty ones are left out.
 *
 * @param address a data address of a PNG.
 * @param texts keyword, such as `Description` → text.
 * @returns the picture's bytes.
 */
export function withTexts(address: string, texts: Readonly<Record<string, string>>): Blob {
  const letters = atob(address.slice(address.indexOf(',') + 1))
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
  const after = SIGNATURE_BYTES + HEADER_BYTES
  const chunks = Object.entries(texts).flatMap(([keyword, text]) => (text ? [chunk(keyword, text)] : []))
  const parts = [bytes.slice(0, after), ...chunks, bytes.slice(after)]
  return new Blob(parts as BlobPart[], { type: 'image/png' })
}
