/** A file with where it lies in what was chosen or dropped. */
export interface NamedFile {
  name: string
  file: Blob
}

const BLOCK = 512
/** Letters that a name of the archive has room for. */
const LONGEST_NAME = 100

/**
 * One body out of several files: a tar archive (POSIX ustar), made of slices, so that nothing is read into memory.
 * One file alone stays what it is.
 */
export function archived(files: readonly NamedFile[]): NamedFile {
  if (files.length === 1) return files[0]!
  const parts = files.flatMap(({ name, file }) => [
    header(name, file.size),
    file,
    new Uint8Array((BLOCK - (file.size % BLOCK)) % BLOCK),
  ])
  return { name: 'files.tar', file: new Blob([...parts, new Uint8Array(2 * BLOCK)]) }
}

function header(name: string, size: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK)
  const letters = new TextEncoder()
  const put = (text: string, at: number) => block.set(letters.encode(text), at)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  let bytes = letters.encode(name)
  // What is too long loses its beginning: its ending tells what kind of file it is.
  if (bytes.length > LONGEST_NAME) bytes = bytes.slice(bytes.length - LONGEST_NAME)
  block.set(bytes, 0)
  put(octal(0o644, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(0, 11), 136)
  put('        ', 148)
  put('0', 156)
  put('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The files of a drop, those of folders with their paths. */
export async function dropped(transfer: DataTransfer): Promise<NamedFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const found = await Promise.all(entries.map((entry) => within(entry)))
  return found.flat()
}

async function within(entry: FileSystemEntry): Promise<NamedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed))
    return [{ name: entry.fullPath.replace(/^\//, ''), file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: NamedFile[] = []
  for (;;) {
    // A reader gives a part at a time, and nothing when it is through.
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (!part.length) return found
    found.push(...(await Promise.all(part.map((each) => within(each)))).flat())
  }
}
