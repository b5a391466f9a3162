import { useEventListener } from '@vueuse/core'
import { ref, type Ref } from 'vue'
import { onBeforeRouteLeave, useRouter, type RouteLocationNormalized } from 'vue-router'

/**
 * Asks before unsaved work is left behind: by a link, and by closing the tab.
 *
 * @param changed whether there is unsaved work.
 * @returns `asking` opens the question; `leave` answers it with yes.
 */
export function useLeaveGuard(changed: () => boolean): { asking: Ref<boolean>; leave: () => void } {
  const router = useRouter()
  const asking = ref(false)
  let destination: RouteLocationNormalized | null = null
  let sure = false

  onBeforeRouteLeave((to) => {
    if (sure || !changed()) return true
    destination = to
    asking.value = true
    return false
  })

  useEventListener('beforeunload', (event) => {
    if (changed()) event.preventDefault()
  })

  function leave(): void {
    asking.value = false
    sure = true
    if (destination) void router.push(destination.fullPath)
  }
  return { asking, leave }
}
