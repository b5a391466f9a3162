import { computed, ref, type ComputedRef, type Ref } from 'vue'

export type Theme = 'light' | 'dark'
export type ThemeChoice = Theme | 'system'

const STORAGE_KEY = 'weighhouse-theme'

const choice = ref<ThemeChoice>(remembered())
const systemIsDark = ref(false)
const query = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : null

if (query) {
  systemIsDark.value = query.matches
  query.addEventListener('change', (event) => {
    systemIsDark.value = event.matches
    apply()
  })
}

const theme = computed<Theme>(() => {
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

function apply(): void {
  document.documentElement.dataset['theme'] = theme.value
}

function choose(next: ThemeChoice): void {
  choice.value = next
  try {
    if (next === 'system') localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, next)
  } catch {
    // A browser that forbids storage still switches, it only forgets.
  }
  apply()
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
