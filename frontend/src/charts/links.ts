import { useToasts } from '@/ui'

/** Puts a chart into the address and the address onto the clipboard, to be sent to somebody. */
export async function linkTo(anchor: string): Promise<void> {
  const toasts = useToasts()
  history.replaceState(history.state, '', `#${anchor}`)
  try {
    await navigator.clipboard.writeText(location.href)
    toasts.succeeded('The link to this chart is on the clipboard.')
  } catch {
    // Browsers hand out the clipboard on secure pages alone.
    toasts.told('The address now leads to this chart.')
  }
}
