import { isNode, parseDocument } from 'yaml'

import { parsePath, type FieldErrors } from './errors'

/** A complaint with the stretch of text it is about. */
export interface TextComplaint {
  from: number
  to: number
  message: string
}

/**
 * Finds the stretch of a YAML text that each complaint is about.
 *
 * A complaint about something that is not written stands at the nearest thing around it.
 *
 * @param text the YAML.
 * @param errors what the server said of it.
 */
export function locateComplaints(text: string, errors: FieldErrors): TextComplaint[] {
  const document = parseDocument(text)
  const syntax = document.errors.map((error) => ({
    from: error.pos[0],
    to: Math.max(error.pos[1], error.pos[0] + 1),
    message: error.message.split('\n')[0] ?? error.code,
  }))
  if (syntax.length) return syntax
  return errors.all.map((error) => {
    const path = parsePath(error.path)
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) {
        return { from: node.range[0], to: firstLineEnd(text, node.range[0], node.range[1]), message: messageOf(error) }
      }
    }
    return { from: 0, to: firstLineEnd(text, 0, text.length), message: messageOf(error) }
  })
}

function messageOf(error: { path: string; message: string; expected?: string | null }): string {
  const where = error.path ? `${error.path}: ` : ''
  return `${where}${error.message}${error.expected ? ` (expected ${error.expected})` : ''}`
}

function firstLineEnd(text: string, from: number, to: number): number {
  const end = text.indexOf('\n', from)
  return Math.max(from, end === -1 ? to : Math.min(to, end))
}
