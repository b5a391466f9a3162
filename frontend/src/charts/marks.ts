/** The marks of sides, as shapes; the hollow ones stand for further sides of a system. */
const FULL: Record<string, string> = { '○': '●', '△': '▲', '□': '■', '◇': '◆', '▽': '▼' }

/** Whether a mark is drawn as an outline. */
export function markIsHollow(mark: string): boolean {
  return mark in FULL
}

/**
 * A mark as an ECharts graphic element without its style.
 *
 * @returns null for a mark that is drawn as the letter it is.
 * @param radius half of its height, in pixels; shapes are of about equal area.
 */
export function markShape(mark: string, x: number, y: number, radius: number): { type: string; shape: object } | null {
  const polygon = (points: number[][]) => ({ type: 'polygon', shape: { points } })
  switch (FULL[mark] ?? mark) {
    case '■':
      return polygon([
        [x - 0.9 * radius, y - 0.9 * radius],
        [x + 0.9 * radius, y - 0.9 * radius],
        [x + 0.9 * radius, y + 0.9 * radius],
        [x - 0.9 * radius, y + 0.9 * radius],
      ])
    case '▲':
      return polygon([
        [x, y - 1.2 * radius],
        [x + 1.15 * radius, y + 0.85 * radius],
        [x - 1.15 * radius, y + 0.85 * radius],
      ])
    case '▼':
      return polygon([
        [x, y + 1.2 * radius],
        [x + 1.15 * radius, y - 0.85 * radius],
        [x - 1.15 * radius, y - 0.85 * radius],
      ])
    case '◆':
      return polygon([
        [x, y - 1.25 * radius],
        [x + 1.25 * radius, y],
        [x, y + 1.25 * radius],
        [x - 1.25 * radius, y],
      ])
    case '●':
      return { type: 'circle', shape: { cx: x, cy: y, r: radius } }
    default:
      return null
  }
}
