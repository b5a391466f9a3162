import { useMediaQuery, usePreferredDark } from '@vueuse/core'
import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'

export type Theme = 'light' | 'dark'
export type ThemeChoice = Theme | 'system'

const STORAGE_KEY = 'weighhouse-theme'

const choice = ref<ThemeChoice>(remembered())
const systemIsDark = usePreferredDark()

/** Paper is light, whatever the screen is. */
const onPaper = useMediaQuery('print')

const theme = computed<Theme>(() => {
  if (onPaper.value) return 'light'
  if (choice.value !== 'system') return choice.value
  return systemIsDark.value ? 'dark' : 'light'
})

function remembered(): ThemeChoice {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

// At once: whoever follows the theme reads its colours from the document.
watch(
  theme,
  (now) => {
    document.documentElement.dataset['theme'] = now
  },
  { immediate: true, flush: 'sync' },
)

function choose(next: ThemeChoice): void {
  choice.value = next
  try {
    if (next === 'system') localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, next)
  } catch {
    // A browser that forbids storage still switches, it only forgets.
  }
}

/**
 * The theme of the page: what was chosen, what that means now, and how to choose.
 *
 * @returns `choice` (light, dark, system), `theme` (light or dark), and `choose`, which remembers.
 */
export function useTheme(): {
  choice: Ref<ThemeChoice>
  theme: ComputedRef<Theme>
  choose: (next: ThemeChoice) => void
} {
  return { choice, theme, choose }
}
