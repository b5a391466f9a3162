const DIGIT = /\d/

/**
 * Whether texts have all words that are looked for, wherever they stand, capitals or not. A number is found where a
 * number begins: 4 is in “4 clients” and “4096”, not in “64 clients”. No words: yes.
 */
export function hasWords(texts: readonly unknown[], wanted: string): boolean {
  const told = texts.join(' ').toLowerCase()
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => has(told, word))
}

function has(told: string, word: string): boolean {
  if (!DIGIT.test(word.charAt(0))) return told.includes(word)
  for (let at = told.indexOf(word); at >= 0; at = told.indexOf(word, at + 1)) {
    if (!DIGIT.test(told.charAt(at - 1))) return true
  }
  return false
}
