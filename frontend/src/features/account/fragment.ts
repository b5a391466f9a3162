import { ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/**
 * The token of a signed link, which stands behind the `#` of the address. It is taken out of there,
 * so that neither the history nor a screenshot keeps it; another link in the same window replaces it.
 */
export function useFragment(): Ref<string> {
  const route = useRoute()
  const router = useRouter()
  const token = ref('')
  watch(
    () => route.hash,
    (hash) => {
      if (!hash) return
      token.value = hash.slice(1)
      void router.replace({ path: route.path, query: route.query })
    },
    { immediate: true },
  )
  return token
}
