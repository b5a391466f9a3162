import { afterEach, describe, expect, it } from 'vitest'

import { paletteOf, readPalette } from './palette'

afterEach(() => document.documentElement.removeAttribute('style'))

describe('the palette of the page', () => {
  it('names fonts so that they may stand in an attribute of a picture', () => {
    document.documentElement.style.setProperty('--font-text', '"IBM Plex Sans Variable", sans-serif')
    expect(readPalette().fontText).toBe("'IBM Plex Sans Variable', sans-serif")
  })

  it('is read in another theme without leaving the page in it', () => {
    document.documentElement.dataset['theme'] = 'light'
    paletteOf('dark')
    expect(document.documentElement.dataset['theme']).toBe('light')
  })
})
