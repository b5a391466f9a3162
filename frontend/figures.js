// Writes the names of figures as the API's document has them: `node figures.js DOCUMENT FILE`.
import { readFile, writeFile } from 'node:fs/promises'

import { format } from 'prettier'

const [from, to] = process.argv.slice(2)
const document = JSON.parse(await readFile(from, 'utf8'))
const figures = Object.fromEntries(
  document['x-figures'].map(({ name, label, short, unit, higher_is_better, note }) => [
    name,
    { label, short, unit, moreIsBetter: higher_is_better, note },
  ]),
)
const source = `// Generated from the API's document; do not edit.

/** How the figures of runs are named; \`short\` where what it is a figure of is plain. */
export const FIGURES = ${JSON.stringify(figures)} as const
`
const style = JSON.parse(await readFile('.prettierrc.json', 'utf8'))
await writeFile(to, await format(source, { ...style, parser: 'typescript' }))
