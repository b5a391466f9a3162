const NAMES: readonly [RegExp, string][] = [
  [/EdgA?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
  [/python/i, 'Python'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]
const first = (of: readonly [RegExp, string][], text: string) => of.find(([sign]) => sign.test(text))?.[1]

/** What a browser calls itself, in words: `Firefox on Linux`. */
export function browserInWords(userAgent: string | null): string {
  if (!userAgent) return 'An unknown browser'
  const name = first(NAMES, userAgent) ?? userAgent.split('/')[0]?.slice(0, 40) ?? 'An unknown browser'
  const system = first(SYSTEMS, userAgent)
  return system ? `${name} on ${system}` : name
}
