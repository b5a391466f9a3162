import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { Plugin } from 'vite'

/** Below this a head says as much as is saved. */
const smallest = 1000

/** Puts each text of the build beside itself as Brotli and as gzip, once, for servers to hand out as they are. */
export const packed: Plugin = {
  name: 'packed',
  apply: 'build',
  async writeBundle({ dir }, bundle) {
    if (!dir) return this.error('the build goes into a folder')
    const names = [...Object.keys(bundle), ...(await readdir(dir))].filter((name) =>
      /\.(css|html|js|svg|txt)$/.test(name),
    )
    await Promise.all([...new Set(names)].map((name) => pack(join(dir, name))))
  },
}

async function pack(file: string): Promise<void> {
  const plain = await readFile(file)
  if (plain.length < smallest) return
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(plain, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }))
}
