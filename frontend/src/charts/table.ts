/** The figures behind a chart, as a table. */
export interface ChartTable {
  columns: readonly string[]
  rows: readonly (readonly (string | number | null)[])[]
}

/**
 * The table as CSV by RFC 4180, with what must stand beside it as comment lines on top.
 *
 * @param table columns and rows; null becomes an empty field.
 * @param notes what it is of, and what must stand beside the numbers.
 */
export function csv(table: ChartTable, notes: readonly string[]): string {
  const field = (value: string | number | null): string => {
    if (value === null) return ''
    const text = typeof value === 'string' ? harmless(value) : String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const comments = notes.map((note) => `# ${note.replaceAll(/\s+/g, ' ').replaceAll(BESIDE, "$1'$2")}`)
  const lines = [table.columns, ...table.rows].map((row) => row.map(field).join(','))
  return [...comments, ...lines].join('\r\n') + '\r\n'
}

const FORMULA = /^\s*(?:[=+@＝＋－＠]|-(?!\s*[\d.,]+\s*%?$))|^[\t\r\n]/
/** Where a comment would go on in the next field with a formula. */
const BESIDE = /([,;]\s*)([=+@＝＋－＠-])/g

/** Keeps a spreadsheet from taking a text for a formula. */
function harmless(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** A caveat as it leaves the house: a short form for a line of them all, and its text. */
export interface Footnote {
  short: string
  text: string
}

/** What a chart is of, so that a file of it can be told from another. */
export interface Measured {
  workload?: string
  load?: string
  sides?: readonly string[]
}

/** What leaves the house besides a chart's marks or figures. */
export interface Leaving {
  title: string
  /** Of how many runs it is, where more may come: `so far, 12 of 30 runs, at …`. */
  soFar?: string
  unit?: string
  measured?: Measured
  footnotes: readonly Footnote[]
  /** Address of the very view that was exported. */
  view: string
  /** ISO date. */
  date: string
}

/**
 * The title of a file: whether more may come, what is shown, of which workload, under which load, of which
 * sides.
 */
export function leavingTitle({ title, unit, measured, soFar }: Titled & Pick<Leaving, 'unit'>): string {
  const named = unit ? `${title} (${unit})` : title
  const told = [measured?.workload, measured?.load, inOrder(measured?.sides ?? [])]
  const begun = soFar ? [soFar.charAt(0).toUpperCase() + soFar.slice(1)] : []
  return [...begun, named, ...told.filter((one) => one && !named.includes(one))].join(' · ')
}

type Titled = Pick<Leaving, 'title' | 'measured' | 'soFar'>

/** Sides in a row; a name may have a comma of its own. */
const inOrder = (sides: readonly string[]) => sides.join(sides.some((one) => one.includes(',')) ? '; ' : ', ')

/** All that stands under a picture and over a table: caveats in a line, each as a footnote, the view. */
export function leavingLines({ footnotes, view, date }: Pick<Leaving, 'footnotes' | 'view' | 'date'>): string[] {
  const line = footnotes.map((one, index) => `${one.short} [${index + 1}]`).join('; ')
  return [
    ...(line ? [`Caveats: ${line}`] : []),
    ...footnotes.map((one, index) => `[${index + 1}] ${one.text}`),
    `Weighhouse · ${view} · ${date}`,
  ]
}

/** The name of a file, without its ending and without units. */
export function leavingName({ title, measured, soFar }: Titled): string {
  return fileName(leavingTitle({ title, measured, soFar })).slice(0, MOST_OF_A_NAME).replace(/-$/, '')
}

const MOST_OF_A_NAME = 160

/** A name for a downloaded file: `Throughput by clients` → `throughput-by-clients`. */
export function fileName(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'chart'
  )
}
