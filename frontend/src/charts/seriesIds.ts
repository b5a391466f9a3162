/** Between a side's key and the number of its line; no key has one. */
const MARK = '\u0000'

/** Tells a series from all others of its chart: of a side with several lines each has its own. */
export function seriesId(sides: readonly { key: string }[], at: number): string {
  const key = sides[at]?.key ?? ''
  const before = sides.slice(0, at).filter((one) => one.key === key).length
  return before ? `${key}${MARK}${before}` : key
}

/** The side that a series is of. */
export function sideOf(id: string): string {
  return id.split(MARK)[0] ?? id
}

/** All series of a side among those of a chart. */
export function seriesOf(ids: readonly unknown[], key: string): string[] {
  return ids.filter((id): id is string => typeof id === 'string' && sideOf(id) === key)
}
