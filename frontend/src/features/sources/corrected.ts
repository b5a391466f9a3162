import type { PublishedResults } from '@/api'

import type { Understood } from './typed'

/** Where a figure stands in a document: of which cell, which of its figures, both from 0. */
export const placeOf = (cell: number, figure: number): string => `${cell}.${figure}`

/** A figure as it should have been read: as printed, and what that stands for. */
export interface Correction {
  printed: string
  understood: Understood
}

/** A document with some of its figures corrected; whatever else it says of them stays. */
export function correctedResults(
  results: PublishedResults,
  corrections: Readonly<Record<string, Correction>>,
): PublishedResults {
  const cells = results.cells.map((cell, at) => ({
    ...cell,
    figures: (cell.figures ?? []).map((figure, place) => {
      const found = corrections[placeOf(at, place)]
      if (!found) return figure
      const { value, low, high } = found.understood
      return { ...figure, printed: found.printed.trim(), value, low, high }
    }),
  }))
  return { ...results, cells }
}
