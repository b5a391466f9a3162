import type { LicencePrice, MachinePrice, Prices, PriceSheet } from '@/api'

import { formatAmount } from './costs'

/** What is being made (`was` is null) or changed. */
export type Edited = { kind: 'machine'; was: MachinePrice | null } | { kind: 'licence'; was: LicencePrice | null }

/** The part of the organization's prices that is saved. */
export function sheetOf(prices: Prices): PriceSheet {
  return { machines: prices.machines ?? [], licences: prices.licences ?? [], default: prices.default ?? null }
}

/** The sheet with a price in the place of another one, or behind all; the default follows its name. */
export function withMachine(prices: Prices, was: MachinePrice | null, now: MachinePrice): PriceSheet {
  const sheet = sheetOf(prices)
  const machines = was
    ? (sheet.machines ?? []).map((one) => (one.name === was.name ? now : one))
    : [...(sheet.machines ?? []), now]
  return { ...sheet, machines, default: was && sheet.default === was.name ? now.name : sheet.default }
}

/** The sheet without a price; it is the default of nothing any more. */
export function withoutMachine(prices: Prices, name: string): PriceSheet {
  const sheet = sheetOf(prices)
  return {
    ...sheet,
    machines: (sheet.machines ?? []).filter((one) => one.name !== name),
    default: sheet.default === name ? null : sheet.default,
  }
}

/** The sheet with a licence in the place of another one, or behind all. */
export function withLicence(prices: Prices, was: LicencePrice | null, now: LicencePrice): PriceSheet {
  const sheet = sheetOf(prices)
  const licences = was
    ? (sheet.licences ?? []).map((one) => (one.system === was.system ? now : one))
    : [...(sheet.licences ?? []), now]
  return { ...sheet, licences }
}

/** The sheet without a system's licence. */
export function withoutLicence(prices: Prices, system: string): PriceSheet {
  const sheet = sheetOf(prices)
  return { ...sheet, licences: (sheet.licences ?? []).filter((one) => one.system !== system) }
}

/** What a licence costs, in short. */
export const licenceWords = (one: LicencePrice) =>
  `${formatAmount(one.amount)} ${one.currency} a year and ${one.per ?? 'machine'}`

/** Names in a line, by commas or blanks, each once. */
export const namesIn = (text: string) => [...new Set(text.split(/[\s,]+/).filter(Boolean))]
