// Tells eslint-plugin-boundaries which file an import names: `@/…` and relative paths.
const fs = require('node:fs')
const path = require('node:path')

const ENDINGS = ['', '.ts', '.vue', '/index.ts']

exports.interfaceVersion = 2

exports.resolve = (source, file) => {
  const base = source.startsWith('@/')
    ? path.join(__dirname, 'src', source.slice(2))
    : source.startsWith('.')
      ? path.resolve(path.dirname(file), source)
      : null
  if (base === null) return { found: false }
  const found = ENDINGS.map((ending) => base + ending).find((one) =>
    fs.statSync(one, { throwIfNoEntry: false })?.isFile(),
  )
  return found ? { found: true, path: found } : { found: false }
}
