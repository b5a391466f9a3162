import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import UiLink from './UiLink.vue'

const shown = (to: string | null) => mount(UiLink, { props: { to }, slots: { default: 'homepage' } })

describe('a link to others', () => {
  it.each(['https://redis.io/', 'http://127.0.0.1:8080/a?b#c', 'https://[::1]/x', 'HTTPS://redis.io/@team'])(
    'leads to %s, and tells nothing',
    (to) => {
      const link = shown(to).get('a')
      expect(link.attributes('href')).toBe(to)
      expect(link.attributes('rel')).toBe('noopener noreferrer')
      expect(link.text()).toBe('homepage')
    },
  )

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '/\\evil.example',
    'https:\\\\evil.example',
    'https:/evil.example',
    'https://good.example@evil.example/',
    'https://u:p@good.example/',
    'https://good.example\\@evil.example',
    'https://good.example/\u202egpj.exe',
    'https://good.example/\u200b',
    'https://good.example/\u001b[2J',
    'https://',
    'licence',
  ])('shows %j as the text it is', (to) => {
    const page = shown(to)
    expect(page.find('a').exists()).toBe(false)
    expect(page.get('bdi').element.textContent).toBe(to)
  })

  it('shows nothing of nothing', () => {
    expect(shown(null).html()).not.toMatch(/<(a|bdi)/)
  })
})
