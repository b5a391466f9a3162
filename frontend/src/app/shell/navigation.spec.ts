import { describe, expect, it } from 'vitest'

import { routes } from '../router'

import { navigation, sectionOf } from './navigation'

describe('navigation', () => {
  it('leads only to routes that exist', () => {
    const names = routes.map((route) => route.name)
    expect(names).toEqual(expect.arrayContaining(navigation.map((entry) => entry.section)))
    expect(navigation.map((entry) => entry.to.name)).toEqual(navigation.map((entry) => entry.section))
  })

  it('knows the section of every page in the shell', () => {
    const sections = new Set<string>([
      ...navigation.map((entry) => entry.section),
      'settings',
      'search',
      'help',
      'not-found',
    ])
    for (const route of routes.filter((one) => !one.meta?.open && !one.redirect)) {
      expect(sections, String(route.name)).toContain(sectionOf(route.name))
    }
  })
})
