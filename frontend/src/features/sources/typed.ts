import type { PublishedResults } from '@/api'

/** A line of the grid, as it is typed. */
export interface TypedLine {
  side: string
  workload: string
  clients: string
  figure: string
  printed: string
  place: string
}

/** What a typed figure stands for, as the server reads it. */
export interface Understood {
  value: number | null
  low: number | null
  high: number | null
  unit: string
  problem: string
}

export const COLUMNS = ['side', 'workload', 'clients', 'figure', 'printed', 'place'] as const
export const emptyLine = (): TypedLine => ({
  side: '',
  workload: '',
  clients: '',
  figure: 'throughput',
  printed: '',
  place: '',
})

/** Figures by the words that tables of papers have for them. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(throughput|ops|qps|rps|operations)/i, 'throughput'],
  [/^(avg|average|mean)/i, 'mean_us'],
  [/^(median)/i, 'p50_us'],
]

/** A figure's name out of how a text calls it: `p99`, `99.9th percentile`, `mean latency`. */
export function figureNamed(text: string): string {
  const said = text.trim()
  const percentile = /^p?\s*(\d{2})(?:[.,]?(\d+))?(?:th)?(?:\s*percentile|\s*latency)?$/i.exec(said)
  if (percentile) return `p${percentile[1]}${percentile[2] ?? ''}_us`
  return WORDS.find(([word]) => word.test(said))?.[1] ?? said
}

/**
 * Lines out of a table that was pasted: cells by tabs (as spreadsheets and pages give them) or semicolons, in the
 * columns' order; a first line that names the columns is passed over.
 */
export function pastedLines(text: string): TypedLine[] {
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line.trim())
    .map((line) => line.split(/\t|;/).map((cell) => cell.trim()))
  const body = rows[0]?.[0]?.toLowerCase() === 'side' ? rows.slice(1) : rows
  return body.map((cells) => {
    const [side = '', workload = '', clients = '', figure = '', printed = '', place = ''] = cells
    return { side, workload, clients, figure: figure ? figureNamed(figure) : 'throughput', printed, place }
  })
}

/** Whether anything was typed in a line. */
export const isTyped = (line: TypedLine): boolean => Boolean(line.side || line.printed || line.workload)

/** What is wrong with a line before its figure is read; empty: nothing. */
export function lineProblem(line: TypedLine): string {
  if (!line.side.trim()) return 'Which system is it of?'
  if (line.clients.trim() && !/^\d{1,9}$/.test(line.clients.trim())) return 'Clients are a whole number.'
  return line.printed.trim() ? '' : 'What is printed?'
}

/** A name of a side out of its label: small letters, digits and dashes. */
export function sideName(label: string): string {
  const plain = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return plain.slice(0, 63) || 'side'
}

/**
 * The document that typed lines come to: a cell for each side, workload and number of clients. What was not typed is
 * not known.
 *
 * @param understood of each line, in their order.
 */
export function typedResults(lines: readonly TypedLine[], understood: readonly Understood[]): PublishedResults {
  const labels = [...new Set(lines.map((line) => line.side.trim()))]
  const names = new Map<string, string>()
  for (const label of labels) {
    const taken = new Set(names.values())
    let name = sideName(label)
    for (let number = 2; taken.has(name); number += 1) name = `${sideName(label).slice(0, 58)}-${number}`
    names.set(label, name)
  }
  const cells = new Map<string, PublishedResults['cells'][number]>()
  lines.forEach((line, at) => {
    const key = [line.side, line.workload, line.clients].map((one) => one.trim()).join('\n')
    const clients = line.clients.trim() ? Number(line.clients) : null
    const cell = (cells.get(key) ?? {
      side: names.get(line.side.trim())!,
      workload: line.workload.trim(),
      load: { clients, pipeline: null, rate: null, loop: 'unknown', label: '' },
      figures: [],
    }) as PublishedResults['cells'][number]
    const found = understood[at]
    cells.set(key, {
      ...cell,
      figures: [
        ...cell.figures,
        {
          figure: figureNamed(line.figure),
          operation: 'all',
          value: found?.value ?? null,
          low: found?.low ?? null,
          high: found?.high ?? null,
          printed: line.printed.trim(),
          unit: '',
          statistic: 'unknown',
          place: line.place.trim(),
          recomputed: null,
          recomputed_how: '',
          setting: '',
        },
      ],
    })
  })
  return {
    version: 1,
    source: emptySource(),
    sides: labels.map((label) => ({
      name: names.get(label)!,
      label,
      system: label,
      version: '',
      sponsor: null,
    })),
    cells: [...cells.values()],
    notes: [],
  }
}

/** A source of which nothing is known. */
export function emptySource(): PublishedResults['source'] {
  return {
    title: '',
    authors: '',
    date: '',
    address: '',
    licence: '',
    sponsor: '',
    quoted: '',
    tool: '',
    machines: '',
    raw_data: '',
    disclaimer: '',
  }
}
