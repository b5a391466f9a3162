import type { Commit } from '@/ui'

const SHORT = 10

/** A commit in one line of plain text: `9f2c1e7b0a on main, request 7: Read twice as fast`. */
export function originOf(git: Commit): string {
  const branch = git.branch ? ` on ${git.branch}` : ''
  const request = git.pull_request ? `, request ${git.pull_request}` : ''
  const dirty = git.dirty ? ', modified' : ''
  const subject = git.subject ? `: ${git.subject}` : ''
  return `${git.commit.slice(0, SHORT)}${branch}${request}${dirty}${subject}`
}
