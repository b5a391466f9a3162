import { describe, expect, it } from 'vitest'

import type { CellCost, Costs, Prices } from '@/api'

import {
  formatAmount,
  formatMoney,
  millionText,
  OWN,
  priceOptions,
  priceWords,
  remarkText,
  share,
  whyNot,
  yearText,
} from './costs'

const cell = (median: number, currency = 'EUR'): CellCost => ({
  side: 'c~redis',
  workload: 'balanced',
  load_level: { kind: 'closed', value: 4, label: '4 clients', own: false },
  throughput: null,
  p99_us: null,
  machines: [],
  hourly: 0.36,
  currency,
  per_million: { median, low: median * 0.9, high: median * 1.1, kind: 'interval', repeats: 5, confidence: 0.95 },
  year: null,
  because: '',
})

describe('why there is no cost', () => {
  it('is every reason, each once', () => {
    const because = (reason: string): CellCost => ({ ...cell(1), because: reason })
    expect(whyNot([because('no repeat gave a throughput'), because('no price'), because('no price')])).toBe(
      'Why: no repeat gave a throughput; no price.',
    )
    expect(whyNot([])).toBe('Nothing was measured.')
  })
})

describe('amounts', () => {
  it('have three digits that matter, and whole thousands', () => {
    expect([0.04213, 0.25, 1, 12.44, 999, 9460.8].map(formatAmount)).toEqual([
      '0.0421', '0.250', '1.00', '12.4', '999', '9\u2009461',
    ]) // prettier-ignore
    expect(formatMoney(12.44, 'EUR')).toBe('12.4\u2009EUR')
  })
  it('say what is paid for', () => {
    expect(priceWords({ basis: 'hour', amount: 0.36, currency: 'EUR' })).toBe('0.36 EUR an hour')
    expect(priceWords({ basis: 'power', amount: 0.25, watts: 200, currency: 'EUR' })).toBe(
      '200 W at 0.25 EUR a kilowatt-hour',
    )
  })
})

describe('costs', () => {
  it('stand with their interval, and a range is called one', () => {
    expect(millionText(cell(1))).toBe('0.900 to 1.10')
    const few = cell(1)
    expect(millionText({ ...few, per_million: { ...few.per_million!, kind: 'range', repeats: 3 } })).toBe(
      '0.900 to 1.10, range of 3 repeats',
    )
  })
  it('say why there is none', () => {
    expect(millionText({ ...cell(1), per_million: null, currency: null, because: 'no price' })).toBe('no price')
  })
  it('are drawn beside the dearest of their own currency alone', () => {
    const cells = [cell(1), cell(4), cell(100, 'USD')]
    expect(cells.map((one) => share(one, cells))).toEqual([0.25, 1, 1])
  })
  it('of a year are those of whole set-ups', () => {
    expect(yearText({ copies: 3, amount: 1, low: 1, high: 1, busy: 0.833 })).toBe('3 set-ups, 83\u2009% busy')
    expect(yearText({ copies: 1, amount: 1, low: 1, high: 1, busy: 1 })).toBe('1 set-up, 100\u2009% busy')
  })
})

it('a remark names its sides where they are not all', () => {
  const costs = { sides: [{ key: 'a', label: 'Redis' }, { key: 'b', label: 'Garnet' }] } as Costs // prettier-ignore
  expect(remarkText({ words: 'one machine', sides: ['b'] }, costs)).toBe('one machine (Garnet)')
  expect(remarkText({ words: 'the people', sides: ['a', 'b'] }, costs)).toBe('the people')
})

it('what can be chosen begins with the machines’ own prices', () => {
  const prices = {
    machines: [{ name: 'rack 4', basis: 'hour', amount: 0.36, currency: 'EUR' }],
    licences: [],
    default: 'rack 4',
    listed: [{ name: 'aws c6i.large', amount: 0.085, currency: 'USD', as_of: '2025-01-01' }],
  } as unknown as Prices
  const options = priceOptions(prices)
  expect(options.map(({ value }) => value)).toEqual([OWN, 'rack 4', 'aws c6i.large'])
  expect(options[0]!.note).toBe('else rack 4')
  expect(options[2]!.note).toContain('as of 2025-01-01')
})
