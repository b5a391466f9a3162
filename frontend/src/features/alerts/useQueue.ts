import { onKeyStroke } from '@vueuse/core'
import { ref, type Ref } from 'vue'

import type { Alert, AlertUpdate } from '@/api'
import { useSession } from '@/session'
import { useToasts } from '@/ui'

import { useTriage } from './queries'
import { STATE_OF_KEY, STATES } from './states'

/** What the queue asks of its page. */
export interface QueueActions {
  step: (by: 1 | -1) => void
  open: () => void
  close: () => void
  search: () => void
  downstream: () => void
  explain: () => void
}

interface Said {
  alert: Alert
  before: AlertUpdate
  version: number
}

/** Triage of the current alert: said, told aloud, taken back. */
export function useQueue(after: (alert: Alert) => void) {
  const session = useSession()
  const toasts = useToasts()
  const triage = useTriage()
  const said = ref<Said[]>([])
  /** For a live region: what was done last. */
  const announcement = ref('')

  async function say(alert: Alert, change: AlertUpdate, words: string): Promise<boolean> {
    if (!session.may('member')) {
      toasts.told('You can read alerts here', 'Triage takes a member of the project.')
      return false
    }
    const before = priorOf(alert, change)
    try {
      const now = await triage.mutateAsync({ id: alert.id, version: alert.version, change })
      said.value.push({ alert, before, version: now.version })
      announcement.value = `${alert.title}: ${words}. Press z to undo.`
      after(now)
      return true
    } catch (error) {
      toasts.failed('It was not changed', error)
      announcement.value = `${alert.title}: not changed.`
      return false
    }
  }

  async function undo(): Promise<void> {
    const last = said.value.pop()
    if (!last) {
      announcement.value = 'There is nothing to undo.'
      return
    }
    try {
      after(await triage.mutateAsync({ id: last.alert.id, version: last.version, change: last.before }))
      announcement.value = `${last.alert.title}: undone, it is ${STATES[last.alert.state].label.toLowerCase()} again.`
    } catch (error) {
      toasts.failed('It cannot be undone', error)
    }
  }

  function toMe(alert: Alert): void {
    const me = session.session?.user
    if (me) void say(alert, { assignee_id: me.id }, `assigned to ${me.name}`)
  }

  return { say, undo, toMe, announcement, busy: triage.isPending }
}

/** What a change has to say to be taken back. */
function priorOf(alert: Alert, change: AlertUpdate): AlertUpdate {
  const before: AlertUpdate = {}
  if ('state' in change) {
    before.state = alert.state
    if (alert.downstream_of_id) before.downstream_of_id = alert.downstream_of_id
  }
  if ('assignee_id' in change) before.assignee_id = alert.assignee?.id ?? null
  if ('note' in change) before.note = alert.note
  if ('link' in change) before.link = alert.link
  if ('due_on' in change) before.due_on = alert.due_on
  return before
}

/** The keys of the queue; none while something is written, or a dialog is open. */
export function useQueueKeys(
  current: Ref<Alert | null>,
  queue: Pick<ReturnType<typeof useQueue>, 'say' | 'undo' | 'toMe'>,
  actions: QueueActions,
): void {
  onKeyStroke(
    (event) => !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey,
    (event) => {
      const state = STATE_OF_KEY.get(event.key)
      const alert = current.value
      if (event.key === 'j') actions.step(1)
      else if (event.key === 'k') actions.step(-1)
      else if (event.key === '/') actions.search()
      else if (event.key === 'd') actions.downstream()
      else if (event.key === '?') actions.explain()
      else if (event.key === 'z') void queue.undo()
      else if (event.key === 'Escape') actions.close()
      else if (event.key === 'o' || (event.key === 'Enter' && isRow(event))) actions.open()
      else if (alert && event.key === 'm') queue.toMe(alert)
      else if (alert && state) void queue.say(alert, { state }, STATES[state].label.toLowerCase())
      else return
      event.preventDefault()
    },
  )
}

function isTyping(event: KeyboardEvent): boolean {
  const at = event.target instanceof Element ? event.target : null
  return Boolean(at?.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="listbox"]'))
}

function isRow(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('[data-alert]') !== null
}
