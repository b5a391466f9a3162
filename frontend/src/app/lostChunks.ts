import type { Router } from 'vue-router'

const KEY = 'weighhouse.reloaded'
const ONCE_IN_MS = 30_000
export const PART_LOST = 'A part of this page could not be loaded. It may be being updated: try again soon.'

/** What is kept of a reload, so that a file which is truly gone does not reload for ever. */
export type Memory = Pick<Storage, 'getItem' | 'setItem'>

/**
 * Whether a page may be loaded anew because a part of it is gone.
 *
 * @param address where the reader wanted to go.
 * @returns false when the same was tried less than half a minute ago.
 */
export function mayReload(memory: Memory, address: string, now: number): boolean {
  const before = JSON.parse(memory.getItem(KEY) ?? '{}') as { address?: string; at?: number }
  if (before.address === address && now - (before.at ?? 0) < ONCE_IN_MS) return false
  memory.setItem(KEY, JSON.stringify({ address, at: now }))
  return true
}

/** Whether the platform answers at all. */
async function isThere(): Promise<boolean> {
  const answer = navigator.onLine && (await fetch('/health', { cache: 'no-store' }).catch(() => null))
  return Boolean(answer && answer.ok)
}

/**
 * After a new version was installed, the parts of the old one are gone from the server; a step to a
 * page whose part is missing loads the whole page anew, at the address that was asked for. While nobody answers, the
 * page on show stays: to load anew would leave the reader with the browser's own page of errors.
 *
 * @param failed is told when that does not help.
 * @param stays is told of the page that cannot be opened now.
 */
export function followRedeploys(
  router: Router,
  failed: (error: unknown) => void,
  stays: (page: string | undefined) => void,
): void {
  let lost = false
  window.addEventListener('vite:preloadError', () => {
    lost = true
  })
  router.onError(async (error: unknown, to, from) => {
    const isLost = lost
    lost = false
    if (isLost && from.matched.length && !(await isThere())) {
      stays(to.meta.title)
      return
    }
    if (isLost && mayReload(sessionStorage, to.fullPath, Date.now())) {
      location.assign(to.fullPath)
      return
    }
    failed(isLost ? new Error(PART_LOST) : error)
  })
}
