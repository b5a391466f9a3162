// Writes what holds of an experiment where its document says nothing: `node defaults.js SCHEMA FILE`.
import { readFile, writeFile } from 'node:fs/promises'

import { format } from 'prettier'

const [from, to] = process.argv.slice(2)
const schema = JSON.parse(await readFile(from, 'utf8'))
const found = {}

/** Notes the defaults of what may stand at `path`; items of lists as `[]`. */
function walk(node, path) {
  if (node.$ref) walk(schema.$defs[node.$ref.split('/').pop()], path)
  for (const one of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) walk(one, path)
  if (node.items) walk(node.items, `${path}[]`)
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const below = path ? `${path}.${name}` : name
    walk(property, below)
    // What tells forms apart is no default: it is said, always.
    if (property.const === undefined) note(below, property.default)
  }
}

/** A field has one default, whichever form it stands in; one that says nothing is none. */
function note(path, value) {
  const kept = isMapping(value) ? beyondFields(path, value) : value
  if (kept === undefined || kept === null || kept === '' || (Array.isArray(kept) && kept.length === 0)) return
  if (path in found && JSON.stringify(found[path]) !== JSON.stringify(kept))
    throw new Error(`${path} has two defaults: ${JSON.stringify(found[path])} and ${JSON.stringify(kept)}`)
  found[path] = kept
}

const isMapping = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a part that is left out has that its fields, left out one by one, have not. */
function beyondFields(path, value) {
  const told = Object.entries(value).filter(
    ([name, one]) =>
      ['number', 'string', 'boolean'].includes(typeof one) && one !== '' && one !== found[`${path}.${name}`],
  )
  return told.length ? Object.fromEntries(told) : undefined
}

walk(schema, '')
const source = `// Generated from the schema of experiments; do not edit.

/** What holds where an experiment's document says nothing, by the field's path; items of lists as \`[]\`. */
export const UNLESS_SAID: Readonly<Record<string, unknown>> = ${JSON.stringify(found)}
`
const style = JSON.parse(await readFile('.prettierrc.json', 'utf8'))
await writeFile(to, await format(source, { ...style, parser: 'typescript' }))
