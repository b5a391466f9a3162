/** Labels of agents as people type them: `role=db site=lab`. */
export type Labels = Record<string, string>

/** What was typed, read: the pairs, and the words that are none. */
export interface ReadLabels {
  labels: Labels
  unclear: readonly string[]
}

/** Pairs of a document in the order they stand there; what is not text is shown as it is written. */
export function labelText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .map(([key, label]) => `${key}=${typeof label === 'string' ? label : JSON.stringify(label)}`)
    .join(' ')
}

/**
 * Reads pairs of key and value, parted by spaces or commas.
 *
 * A word without `=`, or with nothing on one side of it, is unclear, never guessed at. A key that
 * is there twice has the value that stands last.
 */
export function readLabels(text: string): ReadLabels {
  const labels: Labels = {}
  const unclear: string[] = []
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const at = word.indexOf('=')
    if (at < 1 || at === word.length - 1) unclear.push(word)
    else labels[word.slice(0, at)] = word.slice(at + 1)
  }
  return { labels, unclear }
}

/** Numbers and flags among the values as such, where nothing of how they are written is lost. */
export function plainValues(labels: Labels): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => {
      if (value === 'true' || value === 'false') return [name, value === 'true']
      return [name, String(Number(value)) === value && value.length < 16 ? Number(value) : value]
    }),
  )
}
