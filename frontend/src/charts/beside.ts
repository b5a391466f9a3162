import { inject, provide, type InjectionKey } from 'vue'

import type { Footnote, Measured } from './table'

/** What stands beside all charts of a page or a part of it, and goes along with each that is exported. */
export interface Beside {
  /** What all of them are of, as far as they agree. */
  measured?: Measured
  footnotes: readonly Footnote[]
}

const KEY: InjectionKey<() => Beside> = Symbol('beside charts')

/** Gives every chart below what must stand beside its numbers: said once, no chart can leave it out. */
export function provideBeside(beside: () => Beside): void {
  provide(KEY, beside)
}

/** What was given to the charts of this place. */
export function useBeside(): () => Beside {
  return inject(KEY, () => () => ({ footnotes: [] }), true)
}
