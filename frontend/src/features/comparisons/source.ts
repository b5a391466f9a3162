import { inject, provide, type InjectionKey, type MaybeRefOrGetter } from 'vue'

import { request, type AnswerOf } from '@/api'

/** What is compared, as it stands in the address. */
export interface ComparisonAddress {
  campaign?: string
  base?: string
  side?: string[]
  baseline?: number
  /** The only cell that is shown. */
  cell?: string
  /** Sides of published sources beside it, `SOURCE~SIDE`. */
  published?: string[]
}

/** Who leads, and each side against its baseline, as far as it is not the comparison's own answer. */
export interface AnswerAddress {
  /** Undefined: the figure that each kind of load is read by. */
  figure?: string
  /** Places of sides that have no part in it. */
  hidden?: number[]
}

/** Where comparisons are read: as a member asks for any, or the one that a stranger came to. */
export interface ComparisonSource {
  /** Tells its answers from those of another source. */
  key: MaybeRefOrGetter<string>
  comparison: (address: ComparisonAddress) => Promise<AnswerOf<'GET /api/v1/comparisons'>>
  answer: (address: ComparisonAddress, view: AnswerAddress) => Promise<AnswerOf<'GET /api/v1/comparisons/answer'>>
  scaling: (address: ComparisonAddress, law: boolean) => Promise<AnswerOf<'GET /api/v1/comparisons/scaling'>>
}

const MEMBERS: ComparisonSource = {
  key: '',
  comparison: (address) => request('GET /api/v1/comparisons', { query: { ...address } }),
  answer: (address, view) => request('GET /api/v1/comparisons/answer', { query: { ...address, ...view } }),
  scaling: (address, law) => request('GET /api/v1/comparisons/scaling', { query: { ...address, law } }),
}
const KEY: InjectionKey<ComparisonSource> = Symbol('source of comparisons')

/** Has everything below read its comparison elsewhere. */
export function provideSource(source: ComparisonSource): void {
  provide(KEY, source)
}

/** Where comparisons are read here; a member's way, unless the page says otherwise. */
export function useSource(): ComparisonSource {
  return inject(KEY, MEMBERS)
}
