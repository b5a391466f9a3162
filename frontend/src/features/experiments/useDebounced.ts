import { onScopeDispose, ref, watch, type Ref } from 'vue'

/** A value that follows its source once it has been still for a while. */
export function useDebounced<T>(source: () => T, milliseconds: number): Ref<T> {
  const settled = ref(source()) as Ref<T>
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(source, (next) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      settled.value = next
    }, milliseconds)
  })
  onScopeDispose(() => clearTimeout(timer))
  return settled
}
