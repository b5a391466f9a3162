import { ref } from 'vue'

export interface Toast {
  id: number
  tone: 'good' | 'bad' | 'info'
  title: string
  text?: string
}

const toasts = ref<Toast[]>([])
let next = 1

function show(tone: Toast['tone'], title: string, text?: string): void {
  toasts.value.push({ id: next++, tone, title, text })
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Short messages about what just happened; `failed` words an error for people. */
export function useToasts() {
  return {
    toasts,
    dismiss,
    succeeded: (title: string, text?: string) => show('good', title, text),
    told: (title: string, text?: string) => show('info', title, text),
    failed: (title: string, error?: unknown) => show('bad', title, error instanceof Error ? error.message : undefined),
  }
}
