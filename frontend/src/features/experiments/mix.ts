/** A mix of operations in words: `read 90 %, update 10 %`. */
export function mixWords(mix: unknown): string {
  if (typeof mix !== 'object' || mix === null) return ''
  return Object.entries(mix as Record<string, unknown>)
    .filter(([, share]) => typeof share === 'number' && share > 0)
    .map(
      ([operation, share]) => `${operation.replaceAll('_', '-')} ${Number(((share as number) * 100).toPrecision(4))} %`,
    )
    .join(', ')
}
