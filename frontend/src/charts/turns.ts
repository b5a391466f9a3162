import { useEventListener, useIntersectionObserver } from '@vueuse/core'
import { ref, type Ref } from 'vue'

/** Each chart waits for the one before, and for the browser to have painted it. */
let before: Promise<void> = Promise.resolve()

function turn(): Promise<void> {
  before = before.then(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  return before
}

/** How far outside the window a chart is drawn already. */
const AHEAD = '240px'

/**
 * Whether a chart's turn to be drawn has come: once it is near the window (or the page is printed), one
 * chart after the other, so that a page full of them never keeps the browser from answering.
 */
export function useTurn(place: Readonly<Ref<HTMLElement | null>>): Readonly<Ref<boolean>> {
  const drawn = ref(false)
  const { isSupported, stop } = useIntersectionObserver(
    place,
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      stop()
      void turn().then(() => (drawn.value = true))
    },
    { rootMargin: AHEAD },
  )
  if (!isSupported.value) drawn.value = true
  useEventListener('beforeprint', () => (drawn.value = true))
  return drawn
}
