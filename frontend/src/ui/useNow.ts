import { onScopeDispose, ref, type Ref } from 'vue'

/** Milliseconds since the epoch, refreshed while the component is alive. */
export function useNow(everySeconds = 15): Ref<number> {
  const now = ref(Date.now())
  const timer = setInterval(() => {
    now.value = Date.now()
  }, everySeconds * 1000)
  onScopeDispose(() => clearInterval(timer))
  return now
}
