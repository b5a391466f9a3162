/** Characters that a slug may have. */
const MOST = 63

/** The slug that follows from a name: `Redis, four clients` is `redis-four-clients`; of `…` it is empty. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MOST)
    .replace(/^-+|-+$/g, '')
}

/** The slug after a name has changed: the name's own, until somebody writes another. */
export function slugAfter(slug: string, before: string, now: string): string {
  return slug === '' || slug === slugOf(before) ? slugOf(now) : slug
}
