import { numberUnlessSaid } from './unlessSaid'

/** How an experiment says how often a cell is measured. */
export type RepetitionsKind = 'fixed' | 'decided' | 'narrow'

export const REPETITIONS_KINDS = [
  { value: 'fixed', label: 'a fixed number' },
  { value: 'decided', label: 'until decided' },
  { value: 'narrow', label: 'until the interval is narrow' },
] as const

const LEAST = numberUnlessSaid('repetitions', 'at_least')

/** What a document's `repetitions` are. */
export function kindOf(repetitions: unknown): RepetitionsKind {
  if (typeof repetitions !== 'object' || repetitions === null) return 'fixed'
  return typeof (repetitions as { until?: unknown }).until === 'object' ? 'narrow' : 'decided'
}

/** The `repetitions` of another kind, with what the two have in common kept. */
export function changedTo(kind: RepetitionsKind, repetitions: unknown): unknown {
  const rule = kindOf(repetitions) === 'fixed' ? {} : (repetitions as Record<string, unknown>)
  const fixed = typeof repetitions === 'number' ? repetitions : Number(rule.at_least ?? LEAST)
  if (kind === 'fixed') return fixed
  const least = Math.max(LEAST, fixed)
  const bounds = {
    at_least: least,
    at_most: Math.max(Number(rule.at_most ?? numberUnlessSaid('repetitions', 'at_most')), least),
  }
  return { ...bounds, until: kind === 'decided' ? 'decided' : { half_width_percent: 2 } }
}
