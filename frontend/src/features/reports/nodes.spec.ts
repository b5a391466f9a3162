import { describe, expect, it } from 'vitest'

import { attributesOf, isKnown } from './nodes'

const same = (colour: string): string => colour

describe('nodes of reports', () => {
  it('have no element that carries anything out', () => {
    for (const tag of ['script', 'img', 'iframe', 'style', 'foreignObject', 'object', 'form', 'use'])
      expect(isKnown(tag)).toBe(false)
    expect(isKnown('table')).toBe(true)
  })

  it('keep the attributes that reports have, and no others', () => {
    expect(attributesOf({ class: 'about', onclick: 'alert(1)', style: 'x' }, same)).toEqual({ class: 'about' })
  })

  it('lead to pages of the web and to notes', () => {
    expect(attributesOf({ href: 'https://example.test/' }, same)).toEqual({ href: 'https://example.test/' })
    expect(attributesOf({ href: '#note-3' }, same)).toEqual({ href: '#note-3' })
    expect(attributesOf({ href: 'javascript:alert(1)' }, same)).toEqual({})
  })

  it('take the shade of the theme', () => {
    const dark = attributesOf({ fill: '#123456', 'data-fill': '#123456' }, () => '#abcdef')
    expect(dark['fill']).toBe('#abcdef')
  })
})
