import { describe, expect, it } from 'vitest'

import { canZoom, zoomable, zoomOf } from './zoom'

const option = { xAxis: { type: 'value' as const, min: 0, max: 200 }, dataZoom: [{ type: 'inside' as const }] }

describe('zoomOf', () => {
  it('reads percent as well as values', () => {
    expect(zoomOf({ start: 10, end: 20 }, option)).toEqual([10, 20])
    expect(zoomOf({ batch: [{ startValue: 50, endValue: 100 }] }, option)).toEqual([25, 50])
  })

  it('is nothing when the whole is shown, or the axis has no known ends', () => {
    expect(zoomOf({ start: 0, end: 100 }, option)).toBeNull()
    expect(zoomOf({ startValue: 1, endValue: 2 }, { xAxis: { type: 'value' } })).toBeNull()
  })
})

describe('zoomable', () => {
  it('leaves charts alone that have no zoom', () => {
    expect(canZoom({})).toBe(false)
    expect(zoomable({})).toEqual({})
    expect(zoomable(option)).toHaveProperty('toolbox')
  })
})
