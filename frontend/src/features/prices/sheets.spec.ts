import { describe, expect, it } from 'vitest'

import type { LicencePrice, MachinePrice, Prices } from '@/api'

import { licenceWords, namesIn, sheetOf, withLicence, withMachine, withoutLicence, withoutMachine } from './sheets'

const machine = (name: string): MachinePrice => ({
  name,
  amount: 0.36,
  currency: 'EUR',
  as_of: '2026-10-01',
  source: 'contract 12',
})
const licence = (system: string, amount = 8000): LicencePrice => ({
  system,
  amount,
  currency: 'EUR',
  as_of: '2026-10-01',
  source: 'an offer',
})
const prices: Prices = {
  machines: [machine('rack 4'), machine('rack 5')],
  licences: [licence('aerospike')],
  default: 'rack 4',
  version: 3,
  updated_by: null,
  updated_at: null,
  listed: [],
}
const names = (sheet: { machines?: MachinePrice[] }) => sheet.machines?.map(({ name }) => name)

describe('a sheet', () => {
  it('is what is saved, without what the server adds', () => {
    expect(Object.keys(sheetOf(prices)).sort()).toEqual(['default', 'licences', 'machines'])
  })
  it('takes a new price behind all, and a changed one in its place', () => {
    expect(names(withMachine(prices, null, machine('rack 6')))).toEqual(['rack 4', 'rack 5', 'rack 6'])
    const renamed = withMachine(prices, prices.machines![0]!, machine('hall'))
    expect(names(renamed)).toEqual(['hall', 'rack 5'])
    expect(renamed.default).toBe('hall')
  })
  it('has no default when that price is gone', () => {
    expect(withoutMachine(prices, 'rack 4').default).toBeNull()
    expect(withoutMachine(prices, 'rack 5').default).toBe('rack 4')
  })
  it('keeps one licence a system', () => {
    expect(withLicence(prices, prices.licences![0]!, licence('aerospike', 9)).licences).toEqual([
      licence('aerospike', 9),
    ])
    expect(withoutLicence(prices, 'aerospike').licences).toEqual([])
  })
})

it('names of machines come by commas, blanks and lines, each once', () => {
  expect(namesIn(' a, b\nc b,')).toEqual(['a', 'b', 'c'])
})

it('a licence is paid by machine where nothing else is said', () => {
  expect(licenceWords(licence('aerospike'))).toBe('8\u2009000 EUR a year and machine')
})
