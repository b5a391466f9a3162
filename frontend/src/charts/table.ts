/** The figures behind a chart, as a table. */
export interface ChartTable {
  columns: readonly string[]
  rows: readonly (readonly (string | number | null)[])[]
}

/**
 * The table as CSV by RFC 4180, with the disclaimers as comment lines on top.
 *
 * @param table columns and rows; null becomes an empty field.
 * @param notes statements that must stand beside the numbers.
 */
export function csv(table: ChartTable, notes: readonly string[]): string {
  const field = (value: string | number | null): string => {
    if (value === null) return ''
    const text = typeof value === 'string' ? harmless(value) : String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const comments = notes.map((note) => `# ${note.replaceAll(/\s+/g, ' ')}`)
  const lines = [table.columns, ...table.rows].map((row) => row.map(field).join(','))
  return [...comments, ...lines].join('\r\n') + '\r\n'
}

/** Keeps a spreadsheet from taking a text for a formula. */
function harmless(text: string): string {
  return /^[=+@\t\r]/.test(text) ? `'${text}` : text
}

/** A name for a downloaded file: `Throughput by clients` → `throughput-by-clients`. */
export function fileName(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'chart'
  )
}
