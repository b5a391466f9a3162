/** Colour and font tokens that code (charts, the editor) reads; the values stand in tokens.css. */
export type Token =
  | 'paper'
  | 'sheet'
  | 'sunk'
  | 'rule'
  | 'rule-strong'
  | 'ink'
  | 'ink-2'
  | 'ink-3'
  | 'accent'
  | 'accent-line'
  | 'accent-wash'
  | 'good'
  | 'bad'
  | 'caution'
  | 'info'
  | 'compound'
  | 'font-text'
  | 'font-display'
  | 'font-mono'

/**
 * Reads a token's value in the theme that is on now.
 *
 * @param token name without the leading dashes.
 * @returns the CSS value, for example `#15201d`; empty outside a browser.
 */
export function readToken(token: Token): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim()
}
