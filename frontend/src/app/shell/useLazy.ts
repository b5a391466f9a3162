import { shallowRef, type Component, type ShallowRef } from 'vue'

import { useToasts } from '@/ui'

/**
 * A part of the shell that is loaded when it is first asked for; where that fails, it is told and the page stays.
 *
 * @param what it is called, at the beginning of a sentence.
 * @param load of its file.
 */
export function useLazy(
  what: string,
  load: () => Promise<{ default: Component }>,
): { part: ShallowRef<Component | undefined>; ask: () => Promise<void> } {
  const toasts = useToasts()
  const part = shallowRef<Component>()

  async function ask(): Promise<void> {
    try {
      part.value ??= (await load()).default
    } catch {
      toasts.told(`${what} cannot be opened now`, 'Nobody answers. This page stays as it is.')
    }
  }
  return { part, ask }
}
