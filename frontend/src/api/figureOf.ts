import { FIGURES } from './figures'

/** The key of a figure that has a name. */
export type FigureName = keyof typeof FIGURES

/** How a figure is named and which way is better; undefined for one that the API has not named. */
export function figureOf(name: string): (typeof FIGURES)[FigureName] | undefined {
  return name in FIGURES ? FIGURES[name as FigureName] : undefined
}
