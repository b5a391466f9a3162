import { toValue, watchEffect, type MaybeRefOrGetter } from 'vue'

/** Keeps the document's title at `title · Weighhouse` while the page is alive. */
export function usePageTitle(title: MaybeRefOrGetter<string | undefined>): void {
  watchEffect(() => {
    const text = toValue(title)
    document.title = text ? `${text} · Weighhouse` : 'Weighhouse'
  })
}
