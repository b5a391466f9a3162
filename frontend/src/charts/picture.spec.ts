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
  it('tells who does not see it what it shows, and takes no word for markup', () => {
    const svg = pictureSvg({
      ...picture,
      heading: '<script>alert(1)</script> & more\u0001',
      source: '<b>ours</b>',
      alternative: 'Reads rise ]]> to "6"',
      soFar: 'so far, 1 of 2 runs',
    })
    const read = new DOMParser().parseFromString(svg.replace(/<style[^]*<\/style>/, ''), 'image/svg+xml')
    expect(svg).not.toContain('\u0001')
    expect(read.querySelector('parsererror')).toBeNull()
    expect(read.querySelector('script, b')).toBeNull()
    const root = read.documentElement
    expect(root.getAttribute('role')).toBe('img')
    expect(root.firstElementChild?.tagName).toBe('title')
    expect(root.firstElementChild?.textContent).toBe('So far, 1 of 2 runs · <script>alert(1)</script> & more\ufffd')
    const told = root.querySelector(':scope > desc')?.textContent ?? ''
    expect(told.startsWith('Reads rise ]]> to "6" Caveats:')).toBe(true)
    expect(told).toContain('[2] RocksDB has no network hop.')
    expect(root.textContent).toContain('Source: <b>ours</b>')
  })

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
