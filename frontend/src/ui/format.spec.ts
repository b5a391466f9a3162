import { describe, expect, it } from 'vitest'

import {
  formatAgo,
  formatBytes,
  formatFlow,
  formatCount,
  formatDuration,
  formatLatency,
  formatRelative,
  formatShift,
  formatThroughput,
  levelWords,
  numbered,
  plural,
} from './format'

describe('figures', () => {
  it('number campaigns', () => {
    expect(numbered(12)).toBe('№ 12')
  })

  it('groups thousands with thin spaces', () => {
    expect(formatCount(1_474_560)).toBe('1\u2009474\u2009560')
    expect(formatCount(null)).toBe('–')
  })

  it('keeps three figures that matter and moves the unit', () => {
    expect(formatThroughput(950)).toEqual({ value: '950', unit: 'op/s' })
    expect(formatThroughput(48_210)).toEqual({ value: '48.2', unit: 'k op/s' })
    expect(formatThroughput(1_234_567)).toEqual({ value: '1.23', unit: 'M op/s' })
    expect(formatLatency(0.25)).toEqual({ value: '0.250', unit: 'µs' })
    expect(formatLatency(840.4)).toEqual({ value: '840', unit: 'µs' })
    expect(formatLatency(3421)).toEqual({ value: '3.42', unit: 'ms' })
    expect(formatLatency(1_200_000)).toEqual({ value: '1.20', unit: 's' })
    expect(formatBytes(1610612736)).toEqual({ value: '1.50', unit: 'GiB' })
    expect(formatFlow(1610612736)).toEqual({ value: '1.50', unit: 'GiB/s' })
    expect(formatFlow(null).value).toBe('–')
  })

  it('says what is missing instead of inventing a zero', () => {
    expect(formatThroughput(undefined).value).toBe('–')
    expect(formatLatency(Number.NaN).value).toBe('–')
    expect(formatRelative(null)).toBe('–')
  })

  it('signs a relative difference with a real minus', () => {
    expect(formatRelative(0.052)).toBe('+5.2\u2009%')
    expect(formatRelative(-0.1)).toBe('−10.0\u2009%')
    expect(formatRelative(0.0001)).toBe('0\u2009%')
  })
})

describe('time', () => {
  it('reads durations in the two largest units', () => {
    expect(formatDuration(0.04)).toBe('40 ms')
    expect(formatDuration(42)).toBe('42 s')
    expect(formatDuration(200)).toBe('3 min 20 s')
    expect(formatDuration(7500)).toBe('2 h 05 min')
    expect(formatDuration(273_600)).toBe('3 d 4 h')
  })

  it('looks back and ahead', () => {
    const now = Date.parse('2026-11-20T12:00:00Z')
    expect(formatAgo('2026-11-20T11:59:50Z', now)).toBe('just now')
    expect(formatAgo('2026-11-20T11:56:00Z', now)).toBe('4 min ago')
    expect(formatAgo('2026-11-20T14:00:00Z', now)).toBe('in 2 h')
    expect(formatAgo(null, now)).toBe('never')
  })

  it('says which load it was where a level is another for each target', () => {
    expect(levelWords({ kind: 'closed', value: 8, label: '8 clients, pipeline 10' })).toBe('8 clients, pipeline 10')
    expect(levelWords({ kind: 'open', value: 1e6, label: '1e+06/s poisson' })).toBe('1e+06/s poisson')
    expect(levelWords({ kind: 'closed', value: 1, label: 'inside 1 ms' })).toBe('inside 1 ms (1 client)')
    expect(levelWords({ kind: 'open', value: 30_000, label: '1 ms' })).toBe('1 ms (30,000 op/s)')
    expect(levelWords({ kind: 'open', value: 1_234_567, label: '1.23457e+06/s constant' })).toBe(
      '1.23457e+06/s constant',
    )
  })

  it('names the load of a level of its own, even where it is called like an ordinary one', () => {
    expect(levelWords({ kind: 'closed', value: 12, label: '8 clients' })).toBe('8 clients (12 clients)')
    expect(levelWords({ kind: 'open', value: 8, label: '8 clients' })).toBe('8 clients (8 op/s)')
    expect(levelWords({ kind: 'closed', value: 5000, label: '5000/s constant' })).toBe(
      '5000/s constant (5,000 clients)',
    )
  })

  it('says of a level its share, and of noise how many times as wide it is', () => {
    expect(formatShift('step', -0.102)).toBe('−10.2\u2009%')
    expect(formatShift('spread', 7.297)).toBe('×\u20098.3')
    expect(formatShift('spread', -0.5)).toBe('×\u20090.5')
  })

  it('counts words', () => {
    expect(plural(1, 'run')).toBe('1 run')
    expect(plural(2, 'entry', 'entries')).toBe('2 entries')
  })
})
