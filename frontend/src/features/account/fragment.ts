/**
 * Takes a signed link's token out of the address, where it stands behind the `#`, so that neither
 * the history nor a screenshot keeps it.
 */
export function takeFragment(): string {
  const token = location.hash.slice(1)
  if (token) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
