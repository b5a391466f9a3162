import { watchDebounced } from '@vueuse/core'
import { ref, watch, type Ref } from 'vue'

const PAUSE_MS = 300

/**
 * A text as it is being typed; it is passed on, without blanks around it, when the typing pauses.
 *
 * @param target where it is passed on to; what is written there by others is shown.
 */
export function useTyped(target: Ref<string>): Ref<string> {
  const typed = ref(target.value)
  watch(target, (value) => {
    if (value !== typed.value.trim()) typed.value = value
  })
  watchDebounced(
    typed,
    (value) => {
      if (value.trim() !== target.value) target.value = value.trim()
    },
    { debounce: PAUSE_MS },
  )
  return typed
}
