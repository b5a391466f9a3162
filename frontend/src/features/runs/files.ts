import type { Run } from '@/api'
import { formatBytes } from '@/ui'

/** A file that a run left. */
export type RunFile = Run['artifacts'][number]

const byName = new Intl.Collator('en', { numeric: true })

/** Where a file of a run is kept from. */
export function fileAddress(run: string, file: Pick<RunFile, 'sha256'>): string {
  return `/api/v1/runs/${encodeURIComponent(run)}/artifacts/${encodeURIComponent(file.sha256)}`
}

/** Those of one machine together, by their names: `LOG.old.2` before `LOG.old.10`. */
export function inOrder(files: readonly RunFile[]): RunFile[] {
  return [...files].sort((a, b) => (a.member ?? 0) - (b.member ?? 0) || byName.compare(a.name, b.name))
}

/** Whose file it is: the machine by its agent's name, and which slot of it where it has several. */
export function ownerOf(file: RunFile, members: Run['members']): string {
  const index = file.member ?? 0
  const owner = members.find((member) => member.index === index)
  if (!owner) return `member ${index}`
  return owner.slot === 'machine' ? owner.agent.name : `${owner.agent.name} slot ${owner.slot}`
}

/** How large a file is: `512 B`, whole as bytes are, else in binary units, `1.50 MiB`. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const { value, unit } = formatBytes(bytes)
  return `${value} ${unit}`
}
