import { computed, inject, provide, shallowRef, type ComputedRef, type InjectionKey, type ShallowRef } from 'vue'

import type { Comparison, ComparisonSide } from '@/api'
import {
  choiceField,
  countField,
  flagField,
  listField,
  numberField,
  placesField,
  textField,
  useAddress,
  type AddressRefs,
} from '@/ui'

import { LATENCIES } from './metrics'
import type { ComparisonAddress } from './queries'

export const TABS = ['clients', 'scaling', 'distribution', 'memory', 'time', 'ranks', 'costs', 'unmatched'] as const
export type CompareTab = (typeof TABS)[number]

/** All that can be chosen on the page, by its name in the address. */
export const VIEW_FIELDS = {
  /** What is compared. */
  campaign: textField(),
  base: textField(),
  side: listField(),
  baseline: countField(),
  /** Sides of published sources beside them, `SOURCE~SIDE`; and under which workload of ours theirs stand. */
  published: listField(),
  placed: listField(),
  /** The only cell that is shown, as `cellKey` writes it; empty: all. */
  cell: textField(),
  /** Places of sides that are not shown, and the order of those that are. */
  hidden: placesField(),
  order: placesField(),
  /** Load curves: the latency on y, in µs the envelope, and the workload where there is room for one. */
  percentile: choiceField(
    LATENCIES.map(({ word }) => word),
    'p99',
  ),
  envelope: numberField(0.001),
  workload: textField(),
  /** The tab, and what is chosen in it. */
  tab: choiceField(TABS, 'clients'),
  by: textField('throughput'),
  rank: textField('throughput'),
  load: textField(),
  operation: textField('all'),
  /** Runs that are laid over each other, and what goes along the bottom: time, or progress. */
  runs: listField(),
  along: textField(),
  tail: textField('p99_us'),
  /** The ledger: its figure (`all`: every one), a search, whether it is long, the row that is open. */
  figure: textField('throughput'),
  find: textField(),
  sort: choiceField(['cell', 'ratio', 'word'] as const, 'cell'),
  long: flagField(),
  row: textField(),
}

/** The question to the server that an address asks; null when it names nothing to compare. */
export function questionOf(values: {
  campaign: string
  base: string
  side: readonly string[]
  baseline: number
  cell: string
  published?: readonly string[]
}): ComparisonAddress | null {
  const { campaign, base, side, baseline, cell, published = [] } = values
  if (!campaign && !side.length) return null
  return {
    ...(campaign ? { campaign } : {}),
    ...(campaign && base ? { base } : {}),
    ...(side.length && !campaign ? { side: [...side] } : {}),
    baseline,
    ...(cell ? { cell } : {}),
    ...(published.length ? { published: [...published] } : {}),
  }
}

/** A side with its place in the server's answer, which is what the address counts by. */
export interface PlacedSide extends ComparisonSide {
  place: number
  hidden: boolean
  isBaseline: boolean
}

/**
 * Sides in the order and with the hiding that the address wants. Places that are not there are passed
 * over, sides it does not name follow in their own order, a baseline is never hidden.
 */
export function arranged(
  comparison: Pick<Comparison, 'sides' | 'baseline'>,
  order: readonly number[],
  hidden: readonly number[],
): PlacedSide[] {
  const all = comparison.sides.map((side, place) => ({
    ...side,
    place,
    isBaseline: place === comparison.baseline,
    hidden: place !== comparison.baseline && hidden.includes(place),
  }))
  const named = order.flatMap((place) => all[place] ?? [])
  return [...named, ...all.filter((side) => !order.includes(side.place))]
}

/** The order after moving the side at one position (among those arranged) to another one. */
export function moved(sides: readonly PlacedSide[], from: number, to: number): number[] {
  const order = sides.map((side) => side.place)
  const [taken] = order.splice(from, 1)
  if (taken !== undefined) order.splice(Math.max(0, Math.min(order.length, to)), 0, taken)
  return order.every((place, at) => place === at) ? [] : order
}

/** What a chip of the caveats points at: nothing else is dimmed while it does. */
export interface Pointed {
  /** Keys of sides. */
  sides: ReadonlySet<string>
  runs: ReadonlySet<string>
}

export interface CompareView {
  state: AddressRefs<typeof VIEW_FIELDS> & { settled: () => Promise<string> }
  comparison: ComputedRef<Comparison | undefined>
  /** All sides as arranged, and those of them that are shown. */
  sides: ComputedRef<PlacedSide[]>
  shown: ComputedRef<PlacedSide[]>
  /** The side under the pointer or the focus; everything of others is dimmed. */
  pointed: ShallowRef<string | null>
  /** What a caveat concerns, while its chip is pressed. */
  concerned: ShallowRef<Pointed | null>
  /** Whether something of a side stands back now. */
  dimmed: (side: string) => boolean
}

const KEY: InjectionKey<CompareView> = Symbol('compare')

/** The state of the page, kept in the address. */
export function useViewState() {
  return useAddress(VIEW_FIELDS)
}

/** Makes a comparison and the choices around it known to the components of its page. */
export function provideCompare(
  state: CompareView['state'],
  comparison: ComputedRef<Comparison | undefined>,
): CompareView {
  const sides = computed(() =>
    comparison.value ? arranged(comparison.value, state.order.value, state.hidden.value) : [],
  )
  const pointed = shallowRef<string | null>(null)
  const concerned = shallowRef<Pointed | null>(null)
  const view: CompareView = {
    state,
    comparison,
    sides,
    shown: computed(() => sides.value.filter((side) => !side.hidden)),
    pointed,
    concerned,
    dimmed: (side) =>
      pointed.value !== null
        ? pointed.value !== side
        : concerned.value !== null && concerned.value.sides.size > 0 && !concerned.value.sides.has(side),
  }
  provide(KEY, view)
  return view
}

/** The comparison on show. */
export function useCompare(): CompareView {
  const view = inject(KEY)
  if (!view)
    throw new Error('A part of the comparison stands outside of its page: provideCompare() is missing above it.')
  return view
}
