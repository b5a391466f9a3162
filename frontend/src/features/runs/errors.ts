import type { Run } from '@/api'

/** An operation's errors of one kind in a phase. */
export type Errors = Run['errors'][number]

const PHASES: Record<Errors['phase'], string> = {
  check: 'sample of the records',
  load: 'load phase',
  warmup: 'warm-up',
  measure: 'measured phase',
}

/** Where it happened: `update`, or `insert, load phase` outside of the measured one. */
export function whereOf(errors: Errors): string {
  const operation = (errors.operation ?? 'all operations').replaceAll('_', ' ')
  return errors.phase === 'measure' ? operation : `${operation}, ${PHASES[errors.phase]}`
}

/** The kind in words. */
export function kindOf(errors: Errors): string {
  return errors.kind.replaceAll('_', ' ')
}

/** When something was said first: of the run's own seconds, or the time of day where its begin is not known. */
export function whenOf(errors: Errors, startedAt: string | null): string {
  if (errors.at === null) return ''
  const at = new Date(errors.at)
  const seconds = startedAt === null ? -1 : (at.getTime() - new Date(startedAt).getTime()) / 1000
  return seconds < 0 ? at.toISOString().slice(11, 19) : `${seconds.toFixed(1)} s in`
}
