import { format as text } from 'echarts/core'

import type { HistoryInput, Places } from './history'

/** The most that are drawn: with more, none is read. */
export const MOST_PUBLISHED = 6

/** Where a level of others is marked: at both ends, for it has no place among our campaigns. */
function endsOf(input: Pick<HistoryInput, 'along'>, places: Places): [number, number] {
  const at = places.slots.map((slot) => places.of(slot.at))
  const room = input.along === 'date' ? 0 : places.half
  return [Math.min(...at) - room, Math.max(...at) + room]
}

/** What others published, as dotted levels with hollow marks behind all that was measured here. */
export function publishedLevels(
  input: Pick<HistoryInput, 'published' | 'along'>,
  places: Places,
  tell: (words: string) => number,
) {
  if (!places.slots.length) return []
  const [from, to] = endsOf(input, places)
  return (input.published ?? []).slice(0, MOST_PUBLISHED).map((level) => {
    const words = tell(level.tip.map((line) => text.encodeHTML(line)).join('<br>'))
    return {
      type: 'line' as const,
      name: level.name,
      color: level.colour,
      symbol: 'emptyCircle',
      symbolSize: 9,
      z: 1,
      lineStyle: { width: 1.25, type: 'dotted' as const },
      itemStyle: { borderType: 'dotted' as const, borderWidth: 1.5 },
      data: [from, to].map((x): [number, number, number] => [x, level.value, words]),
    }
  })
}
