import { useEventListener } from '@vueuse/core'
import { toValue, type MaybeRefOrGetter } from 'vue'
import { onBeforeRouteLeave } from 'vue-router'

/** Asks before words that were not saved are left behind; `allow` says that they may be. */
export function useUnsaved(changed: MaybeRefOrGetter<boolean>): { allow: () => void } {
  let allowed = false
  const lost = (): boolean => toValue(changed) && !allowed
  onBeforeRouteLeave(() => !lost() || window.confirm('Leave the page? What you wrote is not saved.'))
  useEventListener('beforeunload', (event) => {
    if (lost()) event.preventDefault()
  })
  return {
    allow: () => {
      allowed = true
    },
  }
}
