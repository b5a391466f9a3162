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
  unit: 'op/s',
  measured: { workload: 'balanced', load: '8 clients', sides: ['Redis', 'RocksDB'] },
  footnotes: [
    { short: 'driver shares the machine', text: 'Driver and system shared one machine.' },
    { short: 'no network', text: 'RocksDB has no network hop.' },
  ],
  view: 'https://weighhouse.example/compare?campaign=1&level=8',
  date: '2026-11-22',
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
  it('grows with its footnotes instead of covering the chart', () => {
    const few = pictureOption({ ...picture, footnotes: [] })
    const many = pictureOption(picture)
    expect(many.height).toBeGreaterThan(few.height)
  })
})

describe('pictureSvg', () => {
  it('says what it is of, carries every caveat and leads to the same view', () => {
    const svg = pictureSvg(picture).replaceAll('&amp;', '&')
    const texts = [
      'Throughput (op/s) · balanced · 8 clients · Redis, RocksDB',
      'Caveats: driver shares the machine [1]; no network [2]',
      '[1] Driver and system shared one machine.',
      '[2] RocksDB has no network hop.',
      picture.view,
    ]
    for (const text of texts) expect(svg).toContain(text)
    expect(svg.toLowerCase()).not.toContain('so far')
  })

  it('says of how many runs it is while more may come', () => {
    const svg = pictureSvg({ ...picture, soFar: 'so far, 12 of 30 runs, at 2026-11-26 19:40 UTC' })
    expect(svg).toContain('So far, 12 of 30 runs, at 2026-11-26 19:40 UTC · Throughput')
  })
})
