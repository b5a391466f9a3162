import { ApiProblem, type AnswerOf } from '@/api'

/** What a system's configuration file comes to. */
export type TargetFromFile = AnswerOf<'POST /api/v1/experiments/target-from-file'>

/** Of a file that is larger nothing is sent: no plugin reads one. */
export const MOST_BYTES = 1_000_000

/**
 * The text of a file.
 *
 * @throws Error in words for people, when it is too large or no UTF-8.
 */
export function textOf(content: ArrayBuffer): string {
  if (content.byteLength > MOST_BYTES) throw new Error('The file is larger than a configuration file: at most 1 MB.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new Error('The file is no UTF-8: save it as UTF-8.')
  }
}

/** The target as an experiment's document has it; the list names it anew where its name is taken. */
export function targetOf(found: TargetFromFile, deployment: string | undefined): Record<string, unknown> {
  return {
    name: found.system,
    system: found.system,
    ...(deployment && deployment !== 'process' ? { deployment } : {}),
    ...(Object.keys(found.parameters).length > 0 ? { parameters: found.parameters } : {}),
    ...(Object.keys(found.settings).length > 0 ? { settings: found.settings } : {}),
  }
}

/** Why a file was not taken, line by line. */
export function faultsOf(error: unknown): string[] {
  if (error instanceof ApiProblem && error.errors.length > 0) return error.errors.map((one) => one.message)
  return [error instanceof Error ? error.message : 'The file was not taken.']
}

/** What became of a file, in one sentence. */
export function summaryOf(found: TargetFromFile): string {
  const taken = found.taken.length
  const left = found.left.length
  const lines = taken === 1 ? '1 setting is' : `${taken} settings are`
  return `${found.file}: ${lines} in the new target${left > 0 ? `, ${left} ${left === 1 ? 'is' : 'are'} not:` : '.'}`
}
