/** A node of a report as the API tells it: a text, or an element with attributes and children. */
export type ReportNode = string | [tag: string, attributes: Record<string, string>, children: ReportNode[]]

/** What a report is made of; anything else the server does not send, and is not shown. */
const TAGS = new Set(
  (
    'a blockquote br caption code div em figcaption figure h1 h2 h3 h4 h5 h6 header hr li ol p pre section span ' +
    'strong sup table tbody td th thead tr ul svg title line polyline polygon circle text'
  ).split(' '),
)
const ATTRIBUTES = new Set(
  (
    'class id href rel start scope colspan tabindex role aria-label viewBox x y x1 x2 y1 y2 cx cy r points fill ' +
    'stroke text-anchor data-fill data-stroke'
  ).split(' '),
)
const ADDRESS = /^(https?:\/\/|mailto:|#note-\d+$)/i

/** Whether an element is one that reports have. */
export const isKnown = (tag: string): boolean => TAGS.has(tag)

/**
 * Attributes of a node as the page sets them: those that reports have, and colours in the shade of the theme.
 *
 * @param shade makes a colour one that is seen on the page.
 */
export function attributesOf(said: Record<string, string>, shade: (colour: string) => string): Record<string, string> {
  const kept = Object.entries(said).filter(
    ([name, value]) => ATTRIBUTES.has(name) && (name !== 'href' || ADDRESS.test(value)),
  )
  const found = Object.fromEntries(kept)
  for (const name of ['fill', 'stroke']) {
    const colour = said[`data-${name}`]
    if (colour) found[name] = shade(colour)
  }
  return found
}
