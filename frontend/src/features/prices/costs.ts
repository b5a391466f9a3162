import type { CellCost, Costs, MachinePrice, Prices } from '@/api'
import { spanWord, type SelectOption } from '@/ui'

/** Stands for no price by name: each machine has its own, else the default. */
export const OWN = 'own'

const money = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

/** An amount with the digits that matter: `0.0421`, `12.4`, `9 461`. */
export function formatAmount(amount: number): string {
  if (amount >= 1000) return money.format(amount).replaceAll(',', '\u2009')
  const decimals = amount === 0 ? 0 : Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(amount))))
  return amount.toFixed(decimals)
}

/** The same with its currency. */
export const formatMoney = (amount: number, currency: string) => `${formatAmount(amount)}\u2009${currency}`

/** Why no cell has a cost: every reason there is, for those of one side need not be those of another. */
export function whyNot(cells: readonly Pick<CellCost, 'because'>[]): string {
  const reasons = [...new Set(cells.map((cell) => cell.because).filter(Boolean))]
  return reasons.length ? `Why: ${reasons.join('; ')}.` : 'Nothing was measured.'
}

/** The prices to choose from: the machines' own, the organization's, the shipped ones. */
export function priceOptions(prices: Prices | undefined): SelectOption<string>[] {
  const defaultName = prices?.default
  return [
    {
      value: OWN,
      label: 'each machine’s own',
      note: defaultName ? `else ${defaultName}` : 'of the organization’s prices',
    },
    ...(prices?.machines ?? []).map((one) => ({ value: one.name, label: one.name, note: priceWords(one) })),
    ...(prices?.listed ?? []).map((one) => ({
      value: one.name,
      label: one.name,
      note:
        `${one.amount} ${one.currency} an hour, ${one.region}; ${one.processors} processors, ` +
        `${one.memory_gibibytes} GiB; as of ${one.as_of}`,
    })),
  ]
}

/** What a price is, in short. */
export function priceWords(price: Pick<MachinePrice, 'basis' | 'amount' | 'watts' | 'currency'>): string {
  return price.basis === 'power'
    ? `${price.watts ?? '?'} W at ${price.amount} ${price.currency} a kilowatt-hour`
    : `${price.amount} ${price.currency} an hour`
}

/** A remark, with the sides it concerns where they are not all. */
export function remarkText(remark: { words: string; sides: readonly string[] }, costs: Costs): string {
  if (remark.sides.length >= costs.sides.length) return remark.words
  const labels = costs.sides.filter(({ key }) => remark.sides.includes(key)).map(({ label }) => label)
  return `${remark.words} (${labels.join(', ')})`
}

/** The cost with its interval, or the range of few repeats. */
export function millionText(cell: CellCost): string {
  const { per_million: cost, currency } = cell
  if (!cost || !currency) return cell.because
  const ends = cost.low === cost.high ? '' : `${formatAmount(cost.low)} to ${formatAmount(cost.high)}`
  return cost.kind === 'range' && ends ? `${ends}, ${spanWord(cost)}` : ends
}

/** Set-ups and how busy they are, of a year at a rate. */
export function yearText(year: NonNullable<CellCost['year']>): string {
  const copies = year.copies === 1 ? '1 set-up' : `${year.copies} set-ups`
  return `${copies}, ${Math.round(100 * year.busy)}\u2009% busy`
}

/** How long a bar is beside the dearest of its currency, 0 to 1. */
export function share(cell: CellCost, cells: readonly CellCost[]): number {
  const most = Math.max(0, ...cells.map((one) => (one.currency === cell.currency ? (one.per_million?.median ?? 0) : 0)))
  return most > 0 ? (cell.per_million?.median ?? 0) / most : 0
}
