import { inject, provide, type InjectionKey } from 'vue'

import type { Footnote, Measured } from './table'

/** What stands beside all charts of a page or a part of it, and goes along with each that is exported. */
export interface Beside {
  /** What all of them are of, as far as they agree. */
  measured?: Measured
  footnotes: readonly Footnote[]
  /** Of how many runs the figures are, where more may come: `so far, 12 of 30 runs, at …`. */
  soFar?: string
}

const KEY: InjectionKey<() => Beside> = Symbol('beside charts')

/** Gives every chart below what must stand beside its numbers: said once, no chart can leave it out. */
export function provideBeside(beside: () => Beside): void {
  provide(KEY, beside)
}

/** The same for a part of a page whose figures were asked for by themselves: the rest stays as it is. */
export function provideBesideToo(more: () => Partial<Beside>): void {
  const outer = useBeside()
  provideBeside(() => ({ ...outer(), ...more() }))
}

/** What was given to the charts of this place. */
export function useBeside(): () => Beside {
  return inject(KEY, () => () => ({ footnotes: [] }), true)
}
