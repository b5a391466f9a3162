/**
 * An address that may be followed, or null: of http or https, without a user, nothing unseen in it.
 * The platform takes no other; this is the second look, also at what was stored before it was so.
 *
 * @param text what a manifest, a person or a pipeline gave.
 */
export function foreignAddress(text: string | null | undefined): string | null {
  if (!text || !/^https?:\/\/[^\s\\@/][^\s\\]*$/i.test(text) || UNSEEN.test(text)) return null
  try {
    const { protocol, username, password, hostname } = new URL(text)
    const isPage = (protocol === 'https:' || protocol === 'http:') && hostname !== ''
    return isPage && username === '' && password === '' ? text : null
  } catch {
    return null
  }
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
