import { plural } from './format'

/** The course of values as points of a line `width` wide and `height` high, from the least to the greatest. */
export function courseLine(values: readonly number[], width: number, height: number): string {
  const least = Math.min(...values)
  const span = Math.max(...values) - least
  return values
    .map((value, at) => {
      const x = values.length > 1 ? (at / (values.length - 1)) * width : width / 2
      const y = span ? height - ((value - least) / span) * height : height / 2
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}

/** What such a line shows, in words: the latest value, and between which values all of them lie. */
export function courseWords(values: readonly number[], written: (value: number) => string): string {
  const [least, most] = [written(Math.min(...values)), written(Math.max(...values))]
  const between = least === most ? 'as in all of them' : `between ${least} and ${most}`
  return `${written(values.at(-1) ?? NaN)} in the latest of ${plural(values.length, 'campaign')}, ${between}`
}
