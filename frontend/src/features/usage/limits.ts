import type { QuotaLimits, Use, UseKind } from '@/api'

/** In what unit people say a limit, and how much of the API's unit one of them is. */
export const UNITS: Record<Use['unit'], { word: string; each: number }> = {
  count: { word: '', each: 1 },
  hours: { word: 'hours', each: 1 },
  bytes: { word: 'GB', each: 1e9 },
}
const WHOLE: ReadonlySet<Use['unit']> = new Set(['count', 'bytes'])

/** How wide a bar is, in percent of its limit; a use beyond it fills it. */
export function filled(use: Pick<Use, 'used' | 'limit'>): number {
  if (use.limit === null) return 0
  return use.limit === 0 ? 100 : Math.min(100, (use.used / use.limit) * 100)
}

/** Limits as they are typed in, by kind; null: none. */
export function typedOf(use: readonly Use[]): Record<UseKind, number | null> {
  return Object.fromEntries(
    use.map((one) => [one.kind, one.limit === null ? null : one.limit / UNITS[one.unit].each]),
  ) as Record<UseKind, number | null>
}

/** What was typed in, as the API takes it; what is empty is not limited. */
export function limitsOf(use: readonly Use[], typed: Record<UseKind, number | null>): QuotaLimits {
  const entries = use.flatMap(({ kind, unit }) => {
    const value = typed[kind]
    if (value === null || value < 0) return []
    const exact = value * UNITS[unit].each
    return [[kind, WHOLE.has(unit) ? Math.round(exact) : exact]]
  })
  return Object.fromEntries(entries) as QuotaLimits
}
