import { describe, expect, it } from 'vitest'

import { alongLine, overlap, placeLabels, spread, type Box, type Label } from './placement'

const bounds: Box = { x: 0, y: 0, width: 400, height: 300 }
const label = (x: number, y: number, optional = false): Label => ({
  anchors: [{ x, y }],
  width: 60,
  height: 14,
  gap: 8,
  optional,
})
const boxOf = (placed: { x: number; y: number } | null): Box => ({ ...placed!, width: 60, height: 14 })

describe('placeLabels', () => {
  it('prefers the right of a point, and the inside of the chart', () => {
    const [free, edge] = placeLabels([label(100, 100), label(390, 200)], [], [], bounds)
    expect(free!.x).toBeGreaterThan(100)
    expect(edge!.x + 60).toBeLessThanOrEqual(400)
  })

  it('never lays one text on another, be there ten at one point', () => {
    const placed = placeLabels(
      Array.from({ length: 10 }, () => label(200, 150)),
      [],
      [],
      bounds,
    )
    expect(placed.every((one) => one !== null)).toBe(true)
    for (const [at, one] of placed.entries())
      for (const other of placed.slice(at + 1)) expect(overlap(boxOf(one), boxOf(other))).toBe(0)
    expect(placed.some((one) => one!.far)).toBe(true)
  })

  it('keeps off marks, and leaves out an optional label that finds no room', () => {
    const mark = { x: 106, y: 90, width: 80, height: 20 }
    expect(overlap(boxOf(placeLabels([label(100, 100)], [mark], [], bounds)[0]!), mark)).toBe(0)
    const wall = { x: 0, y: 0, width: 400, height: 300 }
    expect(placeLabels([label(100, 100, true)], [wall], [], bounds)).toEqual([null])
  })

  it('stands at another of its points when the first is crowded', () => {
    const crowd = Array.from({ length: 40 }, () => label(60, 60))
    const two = {
      ...label(60, 60),
      anchors: [
        { x: 60, y: 60 },
        { x: 320, y: 240 },
      ],
    }
    expect(placeLabels([...crowd, two], [], [], bounds).at(-1)!.anchor.x).toBe(320)
  })
})

describe('alongLine', () => {
  it('covers the way from point to point', () => {
    const boxes = alongLine([
      { x: 0, y: 0 },
      { x: 60, y: 0 },
    ])
    expect(boxes.length).toBeGreaterThan(8)
    expect(boxes.at(-1)!.x).toBeCloseTo(58.5)
  })
})

describe('spread', () => {
  it('leaves what has room where it wants to be, in the order given', () => {
    expect(spread([50, 10, 90], 16, 0, 100)).toEqual([50, 10, 90])
  })

  it('moves those apart that would lie on each other, inside the column', () => {
    expect(spread([98, 99, 100], 16, 0, 100)).toEqual([68, 84, 100])
    expect(spread([1, 0], 16, 0, 100)).toEqual([16, 0])
  })

  it('stands closer where not all fit', () => {
    expect(spread([0, 0, 0], 16, 0, 20)).toEqual([0, 10, 20])
  })
})
