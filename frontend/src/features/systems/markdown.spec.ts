import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import MarkdownText from './MarkdownText.vue'
import { parseMarkdown } from './markdown'

describe('Markdown of a plugin', () => {
  it('lowers headings and leaves out the title the page already has', () => {
    const html = mount(MarkdownText, { props: { source: '# Redis\n\n## Setup\n\ntext' } }).html()
    expect(html).not.toContain('Redis')
    expect(html).toContain('<h3>Setup</h3>')
  })

  it('never turns text into markup or script', () => {
    const source =
      '<script>alert(1)</script>\n\n[go](javascript:alert(1)) <b onclick="x()">b</b> [go](//evil.example) ' +
      '[go](/settings?tab=account) [go](https://a@evil.example/)'
    const element = mount(MarkdownText, { props: { source } }).element as HTMLElement
    expect(element.querySelector('script, b, a[href]')).toBeNull()
    expect(element.textContent).toContain('<script>')
  })

  it('leaves out the table of what stands beside it, and the heading over it alone', () => {
    const table = '| name | decides |\n| - | - |\n| `one` | a |\n| `two` | b |\n\n'
    const shown = (source: string, told: string[]) => mount(MarkdownText, { props: { source, told } }).text()
    expect(shown(`## Parameters\n\n${table}## Memory\n\ntext`, ['one', 'two', 'three'])).toBe('Memorytext')
    expect(shown(`## Parameters\n\n${table}Further words.\n\n## Memory`, ['one', 'two'])).toBe(
      'ParametersFurther words.Memory',
    )
    expect(shown(`## Parameters\n\n${table}`, ['one'])).toContain('two')
  })

  it('renders tables, lists, code, and links that open apart', () => {
    const source = '| a | b |\n| - | - |\n| 1 | 2 |\n\n- `x`\n\n```\ncode\n```\n\n[site](https://redis.io)'
    const wrapper = mount(MarkdownText, { props: { source } })
    expect(wrapper.findAll('td').map((cell) => cell.text())).toEqual(['1', '2'])
    expect(wrapper.find('li code').text()).toBe('x')
    expect(wrapper.find('pre').text()).toBe('code')
    expect(wrapper.find('a').attributes()).toMatchObject({
      href: 'https://redis.io',
      rel: 'noopener noreferrer',
    })
  })

  it('keeps strong text inside a sentence', () => {
    expect(parseMarkdown('one **two**')).toEqual([
      { tag: 'p', attributes: {}, children: ['one ', { tag: 'strong', attributes: {}, children: ['two'] }] },
    ])
  })

  it('gives each table that can be scrolled a name of its own', () => {
    const table = '| a |\n| --- |\n| 1 |\n'
    const element = mount(MarkdownText, { props: { source: `${table}\ntext\n\n${table}` } }).element as HTMLElement
    const names = [...element.querySelectorAll('[role=region]')].map((region) => region.getAttribute('aria-label'))
    expect(names).toEqual(['Table', 'Table 2'])
  })
})
