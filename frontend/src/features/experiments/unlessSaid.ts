import { UNLESS_SAID } from '@/api'

import type { Path } from './draft'
import { pathText } from './errors'

/** What holds where the document says nothing of a field: as the schema has it; undefined: nothing does. */
export function unlessSaid(path: Path): unknown {
  return UNLESS_SAID[pathText(path).replaceAll(/\[\d+\]/g, '[]')]
}

/** The same, of fields that are numbers. */
export const numberUnlessSaid = (...path: Path): number => Number(unlessSaid(path))
