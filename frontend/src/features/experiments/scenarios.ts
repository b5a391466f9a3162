type Item = Record<string, unknown>

export type Scenario = 'fixed' | 'sweep' | 'calibrate' | 'fault' | 'noise'

/** What a run's course is, with the question it answers. */
export const SCENARIOS: readonly { value: Scenario; label: string; asks: string }[] = [
  { value: 'fixed', label: 'the load levels as listed', asks: 'How fast at this load?' },
  {
    value: 'sweep',
    label: 'sweep: rising loads',
    asks: 'What is the load curve, and where is its knee? Each load level is where a curve begins.',
  },
  {
    value: 'calibrate',
    label: 'calibrate: the most inside a latency',
    asks: 'How much load fits inside the latency envelope? Each load level is where a search begins.',
  },
  { value: 'fault', label: 'fault: something is broken', asks: 'What does a failure cost? The faults stand below.' },
  {
    value: 'noise',
    label: 'noise: every target twice',
    asks: 'How still is this machine? Differences between twins are its noise; there is no verdict.',
  },
]

/** A document's scenario; one that is none of the known counts as fixed loads. */
export function scenarioOf(document: Item | null): Scenario {
  const said = document?.['scenario']
  return SCENARIOS.find(({ value }) => value === said)?.value ?? 'fixed'
}

/** Whether loads are chosen while they are measured. */
export const searches = (scenario: Scenario): boolean => scenario === 'sweep' || scenario === 'calibrate'

/** The value of a load level that a search varies: clients, or operations a second. */
function valueOf(level: unknown): number {
  const item = (level ?? {}) as Item
  const value = item['model'] === 'open' ? item['rate_per_second'] : item['clients']
  return typeof value === 'number' ? value : 1
}

/** Where a sweep ends that somebody just asked for: 64 clients, or five doublings above the highest level. */
function endOf(levels: unknown): number {
  const begun = (Array.isArray(levels) ? levels : []).map(valueOf)
  const highest = Math.max(1, ...begun)
  return highest < 64 ? 64 : highest * 32
}

/**
 * The parts of a document that change with its scenario; undefined: the part is not written. What other
 * scenarios asked for goes, what the new one cannot be without is put in.
 */
export function changedTo(next: Scenario, document: Item): Item {
  return {
    scenario: next === 'fixed' ? undefined : next,
    sweep: next === 'sweep' ? (document['sweep'] ?? { to: endOf(document['load_levels']) }) : undefined,
    calibrate: next === 'calibrate' ? document['calibrate'] : undefined,
    ...(next === 'calibrate' && !document['latency_envelope']
      ? { latency_envelope: { percentile: 99, limit_us: 1000 } }
      : {}),
  }
}
