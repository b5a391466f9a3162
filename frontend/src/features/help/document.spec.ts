import { describe, expect, it } from 'vitest'

import { helpDocument, type HelpElement, type HelpNode } from './document'

const PAGE = `<!doctype html><html><title>x</title><style>p{}</style><h1 id="gate">The gate</h1>
<p onclick="steal()">See <a href="/docs/verdicts#rules">rules</a>, <a href="javascript:alert(1)">this</a>,
<a href="https://example.org/a">that</a>.</p><h2 id="base">Its base</h2><script>steal()</script>
<table><tr id="knee"><td>knee</td></tr></table><img src="https://evil.example/x.png" alt="A picture"></html>`

function every(nodes: readonly HelpNode[]): HelpElement[] {
  return nodes.flatMap((one) => (typeof one === 'string' ? [] : [one, ...every(one.children)]))
}

describe('a page of the help', () => {
  const shown = helpDocument(PAGE, 1)
  const elements = every(shown.nodes)

  it('has its title and its sections', () => {
    expect(shown.title).toBe('The gate')
    expect(shown.sections).toEqual([{ title: 'Its base', section: 'base' }])
  })

  it('leaves the first rank of headings and all ids to the page that it stands beside', () => {
    expect(elements.filter((one) => /^h\d$/.test(one.tag)).map((one) => [one.tag, one.attributes['id']])).toEqual([
      ['h2', 'help-gate'],
      ['h3', 'help-base'],
    ])
    expect(elements.find((one) => one.tag === 'tr')?.attributes['id']).toBe('help-knee')
  })

  it('has no script, and links to nothing but our pages and those of others', () => {
    expect(JSON.stringify(shown)).not.toContain('steal')
    expect(elements.filter((one) => one.tag === 'a').map((one) => one.attributes['href'])).toEqual([
      '/docs/verdicts#rules',
      undefined,
      'https://example.org/a',
    ])
    expect(elements.find((one) => one.tag === 'img')?.attributes).toEqual({ alt: 'A picture' })
  })

  it('calls pages by what their files say', () => {
    const front = helpDocument('<h1>docs</h1><a href="/docs/published-sources">published-sources.md</a> x.md')
    expect(front.title).toBe('Help')
    expect(every(front.nodes).flatMap((one) => one.children)).toEqual(['Help', 'Published sources'])
    expect(helpDocument('<a href="/docs/ycsb">ycsb.md</a>').nodes).toMatchObject([{ children: ['YCSB'] }])
    expect(helpDocument('<a href="/docs/findings">findings/</a>').nodes).toMatchObject([{ children: ['Findings'] }])
  })

  it('lists no page that is not served', () => {
    const rows = (title: string) =>
      every(
        helpDocument(
          `<h1>${title}</h1><table><tr><th>where</th></tr><tr><td><a href="/docs/ycsb">ycsb.md</a></td></tr>` +
            '<tr><td>images/</td></tr></table>',
        ).nodes,
      ).filter(({ tag }) => tag === 'tr')
    expect(rows('docs')).toHaveLength(2)
    expect(rows('Of any other page')).toHaveLength(3)
  })
})
