/** Labels as people write them: one `name=value` a line. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

const NAME = /^[A-Za-z0-9][\w./-]{0,62}$/

/** Reads labels; says of the first line that is none what is wrong with it. */
export function parseLabels(text: string): { labels: Record<string, string>; problem: string | null } {
  const labels: Record<string, string> = {}
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '') continue
    const at = line.indexOf('=')
    const name = at < 0 ? line : line.slice(0, at).trim()
    const where = `Line ${index + 1}`
    if (at < 0) return { labels, problem: `${where}: “${line}” has no “=”; write name=value` }
    if (!NAME.test(name))
      return { labels, problem: `${where}: “${name}” is no name; letters, digits and . _ / - will do` }
    if (name in labels) return { labels, problem: `${where}: “${name}” is there twice` }
    labels[name] = line.slice(at + 1).trim()
  }
  return { labels, problem: null }
}
