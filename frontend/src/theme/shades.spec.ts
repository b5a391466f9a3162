import { describe, expect, it } from 'vitest'

import { contrast, lchOf } from './colours'
import { alike, seriesColour, systemShade } from './shades'
import sheets from './tokens.css?raw'

const manifests = import.meta.glob<string>('../../../plugins/*/weighhouse_plugin_*/plugin.toml', {
  eager: true,
  query: '?raw',
  import: 'default',
})
/** Colour and mark of every system, from the manifests themselves. */
const systems = Object.entries(manifests).map(([file, text]) => {
  const read = (name: string): string => new RegExp(`^${name} = "(.+)"$`, 'm').exec(text)?.[1] ?? ''
  return { file, colour: read('colour'), mark: read('mark') }
})

const token = (theme: string, name: string): string => {
  const [, block = ''] = sheets.split(`:root[data-theme='${theme}'] {`)
  return new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(block.split('}')[0] ?? '')?.[1] ?? ''
}

describe('systemShade', () => {
  it('reads the manifests', () => {
    expect(systems.length).toBeGreaterThan(12)
    for (const system of systems) expect(system.colour, system.file).toMatch(/^#[0-9A-Fa-f]{6}$/)
  })

  it.each(['light', 'dark'] as const)('can be seen on every ground of %s pages', (theme) => {
    for (const { file, colour } of systems)
      for (const ground of ['paper', 'sheet']) {
        expect(token(theme, ground)).not.toBe('')
        expect(contrast(systemShade(colour, theme), token(theme, ground)), `${file} on ${ground}`).toBeGreaterThan(3)
      }
  })

  it('keeps the hue, and what can be seen already', () => {
    const turned = (one: string, other: string): number => {
      const angle = Math.abs(lchOf(one).hue - lchOf(other).hue)
      return Math.min(angle, 2 * Math.PI - angle)
    }
    for (const { colour } of systems)
      for (const theme of ['light', 'dark'] as const)
        expect(turned(systemShade(colour, theme), colour)).toBeLessThan(0.1)
    expect(systemShade('#000000', 'light')).toBe('#000000')
  })

  it.each(['light', 'dark'] as const)('of any two are told apart on %s pages, or have different marks', (theme) => {
    for (const [at, one] of systems.entries())
      for (const other of systems.slice(at + 1))
        if (alike(systemShade(one.colour, theme), systemShade(other.colour, theme)))
          expect(one.mark, `${one.file}, ${other.file}`).not.toBe(other.mark)
  })

  it('knows pairs that need their marks', () => {
    expect(alike('#c2185b', '#c2185c')).toBe(true)
    expect(alike('#0072B2', '#E69F00')).toBe(false)
  })
})

describe('seriesColour', () => {
  it('leaves the first its own, and gives the others what is unlike it', () => {
    expect(seriesColour(0, '#D55E00', 'light')).toBe(systemShade('#D55E00', 'light'))
    const more = [1, 2, 3].map((at) => seriesColour(at, '#0072B2', 'light'))
    expect(new Set(more).size).toBe(3)
    expect(more).not.toContain(systemShade('#0072B2', 'light'))
  })
})
