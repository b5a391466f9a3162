import { onBeforeRouteUpdate } from 'vue-router'

/**
 * Takes a signed link's token out of the address, where it stands behind the `#`, so that neither
 * the history nor a screenshot keeps it. Another link in the same window begins the page anew.
 */
export function useFragment(): string {
  const token = location.hash.slice(1)
  if (token) history.replaceState(history.state, '', location.pathname + location.search)
  onBeforeRouteUpdate((to) => {
    if (to.hash) location.reload()
  })
  return token
}
