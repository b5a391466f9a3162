// Writes the catalogue of figures as the API's document has it: `node figures.js DOCUMENT FILE`.
import { readFile, writeFile } from 'node:fs/promises'

import { format } from 'prettier'

const [from, to] = process.argv.slice(2)
const document = JSON.parse(await readFile(from, 'utf8'))
const figures = Object.fromEntries(
  document['x-figures'].map((figure) => [
    figure.name,
    {
      label: figure.label,
      short: figure.short,
      unit: figure.unit,
      scale: figure.scale,
      isLatency: figure.is_latency,
      moreIsBetter: figure.higher_is_better,
      note: figure.note,
      readAt: figure.read_at,
      primaryOf: figure.primary_of,
      threshold: figure.is_judged ? figure.threshold : null,
      askedAs: figure.is_judged ? figure.asked_as : null,
      inHistory: figure.in_series,
    },
  ]),
)
const source = `// Generated from the API's document; do not edit.

/** The catalogue of figures: what they are called, how they are written, and what is said of them.
 *
 * \`short\` where what it is a figure of is plain; \`readAt\` their order for people; \`threshold\` the
 * practical one of a figure that sides are judged by (0.03 = 3 %), set for its family by \`askedAs\`. */
export const FIGURES = ${JSON.stringify(figures)} as const
`
const style = JSON.parse(await readFile('.prettierrc.json', 'utf8'))
await writeFile(to, await format(source, { ...style, parser: 'typescript' }))
