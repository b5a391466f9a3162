import type { Run } from '@/api'

/** What is shown of a log at most: its end, in characters. */
export const MOST_SHOWN = 200_000

/** One log of a run: a stream of the member that wrote it. */
export interface LogChoice {
  value: string
  label: string
  member: number
  stream: string
}

/** A log as far as it has been read. */
export interface LogSoFar {
  text: string
  /** Where the rest begins, in bytes of the log. */
  next: number
  /** Whether the begin of what was read is not shown. */
  cut: boolean
}

export const NOTHING_READ: LogSoFar = { text: '', next: 0, cut: false }

/** All logs of a run; with the machine's name where several took part. */
export function logChoices(run: Pick<Run, 'members' | 'log_streams'>): LogChoice[] {
  const several = run.members.length > 1
  return run.members.flatMap((member) =>
    member.log_streams.map((stream) => ({
      value: `${String(member.index)}/${stream}`,
      label: several ? `${stream} on ${member.agent.name}` : stream,
      member: member.index,
      stream,
    })),
  )
}

/** A log with what came since: the end of it, at most as long as is shown. */
export function grown(before: LogSoFar, piece: string, next: number): LogSoFar {
  const text = before.text + piece
  if (text.length <= MOST_SHOWN) return { text, next, cut: before.cut }
  const line = text.indexOf('\n', text.length - MOST_SHOWN)
  return { text: text.slice(line === -1 ? text.length - MOST_SHOWN : line + 1), next, cut: true }
}
