import { ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/**
 * The token of a signed link, which stands behind the `#` of the address. It is taken out of there,
 * so that neither the history nor a screenshot shows it; another link in the same window replaces it.
 *
 * @param reloads whether the page may be loaded again: then the window keeps the token beside the address.
 */
export function useFragment({ reloads = false } = {}): Ref<string> {
  const route = useRoute()
  const router = useRouter()
  const kept: unknown = reloads ? history.state?.link : undefined
  const token = ref(typeof kept === 'string' ? kept : '')
  watch(
    () => route.hash,
    (hash) => {
      if (!hash) return
      token.value = hash.slice(1)
      void router.replace({
        path: route.path,
        query: route.query,
        ...(reloads && { state: { link: token.value } }),
      })
    },
    { immediate: true },
  )
  return token
}
