import { describe, expect, it } from 'vitest'

import { pictureOption, pictureSvg, wrapped } from './picture'
import { testPalette } from './testPalette'
import { timeLinesOption } from './timeLines'

const picture = {
  title: 'Throughput',
  option: timeLinesOption(
    {
      lines: [{ name: 'read', colour: '#123456', times: [0, 1], values: [5, 6] }],
      format: { name: 'op/s', write: String },
    },
    testPalette,
  ),
  palette: testPalette,
  disclaimers: ['Driver and system shared one machine.', 'RocksDB has no network hop.'],
  origin: 'weighhouse.example/compare?campaign=1',
}

describe('wrapped', () => {
  it('breaks at spaces and loses no word', () => {
    const text = 'one two three four five six'
    const lines = wrapped(text, 9)
    expect(lines.every((line) => line.length <= 9)).toBe(true)
    expect(lines.join(' ')).toBe(text)
  })

  it('keeps a word that is too long', () => {
    expect(wrapped('incomprehensibilities', 5)).toEqual(['incomprehensibilities'])
  })
})

describe('pictureOption', () => {
  it('grows with its disclaimers instead of covering the chart', () => {
    const few = pictureOption({ ...picture, disclaimers: [] })
    const many = pictureOption(picture)
    expect(many.height).toBeGreaterThan(few.height)
  })
})

describe('pictureSvg', () => {
  it('carries title, every disclaimer and its origin in the picture', () => {
    const svg = pictureSvg(picture)
    for (const text of [picture.title, ...picture.disclaimers, picture.origin]) {
      expect(svg).toContain(text)
    }
  })
})
