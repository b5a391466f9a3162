import MarkdownIt from 'markdown-it'

import { foreignAddress } from '@/ui'

/** A piece of a rendered document: an element with attributes and children, or text. */
export type MarkdownNode = string | Element

interface Element {
  tag: string
  attributes: Record<string, string>
  children: MarkdownNode[]
}

const parser = new MarkdownIt({ html: false, linkify: true })
/** What documents of others may link to here. */
const OURS = /^(#|\/docs\/)[\w/#.-]*$/
const FORBIDDEN = new Set(['img', 'script', 'style', 'iframe'])

type Token = ReturnType<typeof parser.parse>[number]

/**
 * Parses Markdown into a tree that is rendered without ever setting HTML.
 *
 * Raw HTML stays text, links go to pages of others and to our documentation alone, images are
 * replaced by their description, and headings are lowered so that the page keeps its only h1.
 *
 * @param source Markdown.
 * @returns the top nodes; a leading h1 is left out, the page has it as its title.
 */
export function parseMarkdown(source: string): MarkdownNode[] {
  const tokens = parser.parse(source, {})
  const nodes = build(tokens)
  const first = nodes[0]
  return first && typeof first !== 'string' && first.tag === 'h2' && tokens[0]?.tag === 'h1' ? nodes.slice(1) : nodes
}

/**
 * A document without the tables that stand beside it already.
 *
 * @param nodes a parsed document.
 * @param names of a table's rows; one all of whose first cells are among them is left out.
 * @returns the others; a heading that has nothing under it any more is left out with its table.
 */
export function withoutTableOf(nodes: readonly MarkdownNode[], names: ReadonlySet<string>): MarkdownNode[] {
  const isTold = (node: MarkdownNode): boolean => {
    const rows = rowsOf(node)
    return rows.length > 0 && rows.every((name) => names.has(name))
  }
  const isHeading = (node: MarkdownNode | undefined) => typeof node === 'object' && /^h\d$/.test(node.tag)
  const told = new Set(nodes.filter(isTold))
  const proper = nodes.filter((node) => typeof node !== 'string' || node.trim() !== '')
  const bare = (node: MarkdownNode, place: number): boolean => {
    const [table, next] = proper.slice(place + 1)
    return isHeading(node) && table !== undefined && told.has(table) && (next === undefined || isHeading(next))
  }
  return proper.filter((node, place) => !told.has(node) && !bare(node, place))
}

/** What stands in the first cells of a table's body. */
function rowsOf(node: MarkdownNode): string[] {
  if (typeof node === 'string') return []
  if (node.tag === 'tr') {
    const [first] = node.children.filter((cell) => typeof cell !== 'string')
    return first && typeof first !== 'string' && first.tag === 'td' ? [textOf(first)] : []
  }
  return ['div', 'table', 'tbody'].includes(node.tag) ? node.children.flatMap(rowsOf) : []
}

const textOf = (node: MarkdownNode): string =>
  typeof node === 'string' ? node : node.children.map(textOf).join('').trim()

function build(tokens: Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = []
  const stack: MarkdownNode[][] = [root]
  let tables = 0
  const add = (node: MarkdownNode): void => {
    if (node !== '') stack.at(-1)?.push(node)
  }
  for (const token of tokens) {
    if (token.hidden) continue
    if (token.type === 'inline') {
      for (const child of build(token.children ?? [])) add(child)
    } else if (token.nesting === 1) {
      const node: Element = { tag: lowered(token.tag), attributes: attributesOf(token), children: [] }
      add(token.tag === 'table' ? scrollable(node, ++tables) : node)
      stack.push(node.children)
    } else if (token.nesting === -1) {
      stack.pop()
    } else {
      add(leaf(token))
    }
  }
  return root
}

/**
 * A table may be wider than the page: the keyboard has to be able to scroll it.
 *
 * @param place of the table in the document, from 1: two regions of a page need two names.
 */
function scrollable(table: MarkdownNode, place: number): MarkdownNode {
  const name = place === 1 ? 'Table' : `Table ${place}`
  const attributes = { class: 'wide', tabindex: '0', role: 'region', 'aria-label': name }
  return { tag: 'div', attributes, children: [table] }
}

function leaf(token: Token): MarkdownNode {
  switch (token.type) {
    case 'text':
      return token.content
    case 'softbreak':
      return ' '
    case 'image':
      return token.content
    case 'fence':
    case 'code_block':
      return { tag: 'pre', attributes: { tabindex: '0' }, children: [token.content.trimEnd()] }
    case 'code_inline':
      return { tag: 'code', attributes: {}, children: [token.content] }
    default:
      if (!token.tag || FORBIDDEN.has(token.tag)) return token.content
      return { tag: token.tag, attributes: {}, children: [] }
  }
}

function lowered(tag: string): string {
  const level = /^h([1-5])$/.exec(tag)
  return level ? `h${Number(level[1]) + 1}` : tag
}

function attributesOf(token: Token): Record<string, string> {
  if (token.tag !== 'a') return {}
  const href = String(token.attrGet('href') ?? '')
  if (foreignAddress(href)) return { href, target: '_blank', rel: 'noopener noreferrer' }
  return OURS.test(href) ? { href } : {}
}
