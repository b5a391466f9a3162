import { helpPlaceOf } from '@/ui'

/** A piece of a page of the help: an element with attributes and children, or text. */
export type HelpNode = string | HelpElement

export interface HelpElement {
  tag: string
  attributes: Record<string, string>
  children: HelpNode[]
}

/** A page of the help. */
export interface HelpDocument {
  title: string
  nodes: HelpNode[]
  /** Its sections of the second rank, with their names in addresses. */
  sections: { title: string; section: string }[]
}

/** What pages of the documentation are made of; anything else is shown as its text. */
const TAGS = new Set(
  'a blockquote br code em h1 h2 h3 h4 h5 h6 hr img li ol p pre strong table tbody td th thead tr ul'.split(' '),
)
/** Before ids of a page of the help, so that none is one of the page that it stands beside. */
export const ID = 'help-'

/**
 * A page of the documentation as a tree that is rendered without ever setting HTML.
 *
 * @param html as the server makes it.
 * @param lower by how many ranks headings are lowered: beside a page, which has the first heading.
 */
export function helpDocument(html: string, lower = 0): HelpDocument {
  const body = new DOMParser().parseFromString(html, 'text/html').body
  const text = (selector: string) => body.querySelector(selector)?.textContent?.trim() ?? ''
  const isFront = text('h1') === FOLDER
  let wide = 0
  const scrolled = (element: HelpElement): HelpElement => ({
    tag: 'div',
    attributes: { class: 'wide', role: 'group', tabindex: '0', 'aria-label': `Table or listing ${++wide}` },
    children: [element],
  })

  function built(node: Node): HelpNode[] {
    if (node.nodeType === Node.TEXT_NODE) return [node.textContent ?? '']
    if (!(node instanceof Element)) return []
    const tag = node.tagName.toLowerCase()
    if (tag === 'script' || tag === 'style' || tag === 'title') return []
    // What is not served is no page of the help: its row would lead nowhere.
    if (isFront && tag === 'tr' && node.querySelector('td') && !node.querySelector('td:first-child a[href]')) return []
    const children = [...node.childNodes]
      .flatMap(built)
      .map((one) => (typeof one === 'string' ? called(tag, one) : one))
    if (!TAGS.has(tag)) return children
    const isHead = tag === 'th' && Boolean(node.textContent?.trim())
    const element = {
      tag: tag === 'th' && !isHead ? 'td' : lowered(tag, lower),
      attributes: attributesOf(node),
      children,
    }
    return [tag === 'table' || tag === 'pre' ? scrolled(element) : element]
  }

  return {
    title: called('h1', text('h1')),
    nodes: [...body.childNodes].flatMap(built),
    sections: [...body.querySelectorAll('h2[id]')].map((one) => ({
      title: one.textContent?.trim() ?? '',
      section: one.id,
    })),
  }
}

/** The whole of the documentation, as its folder is called. */
const FOLDER = 'docs'
const WITHOUT_VOWELS = /^[^aeiou]+$/

/** What is called by its file or folder is called by what that says: `published-sources.md`, Published sources. */
function called(tag: string, said: string): string {
  if (tag === 'h1' && said.trim() === FOLDER) return 'Help'
  const [, file] = (tag === 'a' && /^([\w-]+)(?:\.md|\/)$/.exec(said.trim())) || []
  if (!file) return said
  if (WITHOUT_VOWELS.test(file)) return file.toUpperCase()
  return file.charAt(0).toUpperCase() + file.slice(1).replaceAll('-', ' ')
}

function lowered(tag: string, lower: number): string {
  const rank = /^h([1-6])$/.exec(tag)
  return rank ? `h${Math.min(6, Number(rank[1]) + lower)}` : tag
}

function attributesOf(element: Element): Record<string, string> {
  const found: Record<string, string> = {}
  const said = (name: string) => element.getAttribute(name)
  if (element.id) Object.assign(found, { id: ID + element.id, tabindex: '-1' })
  const href = said('href')
  if (href && helpPlaceOf(href)) found['href'] = href
  else if (href && /^https?:\/\//.test(href))
    Object.assign(found, { href, target: '_blank', rel: 'noopener noreferrer' })
  else if (href && /^#[\w-]+$/.test(href)) found['href'] = href
  if (element.tagName === 'IMG') {
    const source = said('src') ?? ''
    if (/^\/docs\/[\w/-]+\.(svg|png)$/.test(source)) found['src'] = source
    found['alt'] = said('alt') ?? ''
  }
  const start = said('start')
  if (start) found['start'] = start
  return found
}
