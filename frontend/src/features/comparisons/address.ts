import type { LocationQuery } from 'vue-router'

import type { ComparisonAddress } from './queries'

const all = (value: LocationQuery[string] | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '')

/**
 * Reads what is compared from the page's address.
 *
 * @returns the address for the API, or null when it names nothing to compare.
 */
export function readAddress(query: LocationQuery): ComparisonAddress | null {
  const [campaign] = all(query['campaign'])
  const [base] = all(query['base'])
  const side = all(query['side'])
  const baseline = Number(all(query['baseline'])[0] ?? 0)
  if (!campaign && !side.length) return null
  return {
    ...(campaign ? { campaign } : {}),
    ...(campaign && base ? { base } : {}),
    ...(side.length && !campaign ? { side } : {}),
    baseline: Number.isInteger(baseline) && baseline >= 0 ? baseline : 0,
  }
}
