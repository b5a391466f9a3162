import type { Run } from '@/api'
import type { KeyValueRow } from '@/ui'

type Program = NonNullable<Run['target']>['programs'][number]

/** What really ran: a row for each role, its programs with their digests. */
export function programRows(programs: readonly Program[]): KeyValueRow[] {
  const roles = [...new Set(programs.map(({ role }) => role))]
  return roles.map((role) => ({
    key: `${role} that ran`,
    value: programs
      .filter((program) => program.role === role)
      .map(({ name, sha256, build_id }) => `${name}, sha256 ${sha256}${build_id ? `, build ${build_id}` : ''}`)
      .join('; '),
    mono: true,
  }))
}
