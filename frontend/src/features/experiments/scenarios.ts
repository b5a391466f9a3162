import { numberUnlessSaid } from './unlessSaid'

type Item = Record<string, unknown>

export type Scenario = 'fixed' | 'sweep' | 'calibrate' | 'peak' | 'sustained' | 'soak' | 'fault' | 'noise'

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
  {
    value: 'peak',
    label: 'peak: deeper pipelines',
    asks: 'How much with pipelining, and what does it cost? Each level of clients is a ladder of depths.',
  },
  {
    value: 'sustained',
    label: 'sustained: until it is full',
    asks: 'What happens while it fills? The workload has to insert; the measured seconds are the longest it may take.',
  },
  {
    value: 'soak',
    label: 'soak: for hours',
    asks: 'Does it stay so for hours? Drift, leaks and stalls that return are looked for.',
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
export const searches = (scenario: Scenario): boolean => ['sweep', 'calibrate', 'peak'].includes(scenario)

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
    peak: next === 'peak' ? document['peak'] : undefined,
    sustained: next === 'sustained' ? (document['sustained'] ?? { until: { records: 1_000_000 } }) : undefined,
    ...(next === 'calibrate' && !document['latency_envelope']
      ? { latency_envelope: { percentile: numberUnlessSaid('latency_envelope', 'percentile'), limit_us: 1000 } }
      : {}),
    ...(next === 'fixed' ? {} : withoutChain(document)),
  }
}

/** Phases without a chain, which belongs to fixed loads; nothing where there is none. */
function withoutChain(document: Item): Item {
  const { chain, ...phases } = (document['phases'] ?? {}) as Item
  if (chain === undefined) return {}
  return { phases: Object.keys(phases).length ? phases : undefined }
}

/** What a fill is measured by, with its unit and the amount that somebody begins with. */
export const FILLS: readonly { value: string; label: string; unit: string; begin: number }[] = [
  { value: 'records', label: 'records written', unit: 'records', begin: 1_000_000 },
  { value: 'memory_bytes', label: 'memory taken', unit: 'bytes', begin: 2 ** 30 },
  { value: 'disk_bytes', label: 'disk taken', unit: 'bytes', begin: 2 ** 30 },
  { value: 'memory_share', label: 'share of the memory limit', unit: '0 to 1', begin: 0.9 },
  { value: 'disk_share', label: 'share of the disk', unit: '0 to 0.95', begin: 0.5 },
]

/** Which of them a document's fill is measured by. */
export function fillOf(document: Item | null): string {
  const until = ((document?.['sustained'] ?? {}) as Item)['until']
  const said = Object.keys(until ?? {})
  return FILLS.find(({ value }) => said.includes(value))?.value ?? 'records'
}

/** A fill that is measured by something else, from a usual amount on. */
export const filledBy = (kind: string): Item => ({ [kind]: FILLS.find(({ value }) => value === kind)?.begin ?? 1 })

/** Depths as somebody types them: `2, 5, 10`; what is no number is left for validation to refuse. */
export function depthsOf(text: string): (number | string)[] | undefined {
  const parts = text.split(/[\s,;]+/).filter(Boolean)
  return parts.length ? parts.map((part) => (Number.isFinite(Number(part)) ? Number(part) : part)) : undefined
}
