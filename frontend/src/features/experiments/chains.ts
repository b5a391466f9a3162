type Item = Record<string, unknown>

/** Names of the workloads of a document, in its order. */
export function workloadNames(document: Item | null): string[] {
  const items = Array.isArray(document?.['workloads']) ? (document['workloads'] as (Item | null)[]) : []
  return items.flatMap((item) => (typeof item?.['name'] === 'string' ? [item['name']] : []))
}

/** The links of a document's chain; none where phases are not chained. */
export function linksOf(document: Item | null): Item[] {
  const chain = ((document?.['phases'] ?? {}) as Item)['chain']
  return Array.isArray(chain) ? chain.map((link) => (link ?? {}) as Item) : []
}

/** The workload of a link; empty where it names none. */
export const measuredBy = (link: Item): string => (typeof link['measure'] === 'string' ? link['measure'] : '')

/** Workloads that no link measures yet. */
export function notChained(document: Item | null): string[] {
  const named = linksOf(document).map(measuredBy)
  return workloadNames(document).filter((name) => !named.includes(name))
}

/** Links of which one changes places with its neighbour. */
export function shifted(links: readonly Item[], index: number, by: -1 | 1): Item[] {
  const [one, other] = [links[index], links[index + by]]
  if (!one || !other) return [...links]
  return links.map((link, at) => (at === index ? other : at === index + by ? one : link))
}
