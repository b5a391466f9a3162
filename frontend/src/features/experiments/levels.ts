type Item = Record<string, unknown>

/** Whether a load level is nothing but a number of clients that wait for their answers. */
export function isPlain(level: Item): boolean {
  return level['model'] === 'closed' && typeof level['clients'] === 'number' && Object.keys(level).length === 2
}

/** The plain levels as they are written: `1, 8, 32`. */
export function clientsText(levels: readonly Item[]): string {
  return levels
    .filter(isPlain)
    .map((level) => level['clients'])
    .join(', ')
}

/** What was written, read: numbers of clients, each once, and the words that are none. */
export function readClients(text: string): { clients: number[]; unclear: string[] } {
  const clients: number[] = []
  const unclear: string[] = []
  for (const word of text.split(/[\s,;]+/).filter(Boolean)) {
    if (!/^[1-9]\d{0,5}$/.test(word)) unclear.push(word)
    else if (!clients.includes(Number(word))) clients.push(Number(word))
  }
  return { clients, unclear }
}

/** The levels with other plain ones in the place of theirs: where the first of them stood, else at the beginning. */
export function withClients(levels: readonly Item[], clients: readonly number[]): Item[] {
  const plain = clients.map((count) => ({ model: 'closed', clients: count }))
  const first = levels.findIndex(isPlain)
  const rest = levels.filter((level) => !isPlain(level))
  const before = first < 0 ? 0 : levels.slice(0, first).length
  return [...rest.slice(0, before), ...plain, ...rest.slice(before)]
}
