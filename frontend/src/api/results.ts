import type { Disclaimer, LoadLevel, RunStatus } from './types'

/** Shapes of results: runs, comparisons, series. */

export interface Finding {
  id: string
  severity: 'info' | 'caution' | 'error'
  title: string
  message: string
  numbers: Record<string, unknown>
  formula: string | null
  source: string | null
  documentation: string
  scope: 'run' | 'comparison'
}

export interface OperationSummary {
  ok: number
  not_found: number
  errors: number
  verify_failed: number
  throughput: number
  mean_us: number
  p50_us: number
  p95_us: number
  p99_us: number
  p999_us: number
  p9999_us: number
  max_us: number
}

export interface RunSummary {
  duration_seconds: number
  throughput: number
  operations: Record<string, OperationSummary>
  load: OperationSummary | null
  driver: { cpu_percent: number; lag_p99_us: number | null; client_bound: boolean; reasons: string[] }
  load_model: 'closed' | 'open'
}

export interface Failure {
  kind: string
  message: string
  hint: string | null
  log_lines: string[]
}

export interface Setting {
  name: string
  value: string
  default: string | null
  source: 'default' | 'experiment' | 'plugin'
}

export interface Run {
  id: string
  campaign_id: string
  cell: { target: string; workload: string; load_level: LoadLevel }
  repetition: number
  status: RunStatus
  phase: string | null
  failure: Failure | null
  position: number | null
  system_id: string
  agent: { id: string; name: string } | null
  attempts: {
    id: string
    number: number
    status: string
    agent_name: string
    started_at: string | null
    finished_at: string | null
    failure: Failure | null
  }[]
  started_at: string | null
  finished_at: string | null
  summary: RunSummary | null
  environment: Record<string, unknown>
  target: {
    version: string
    endpoints: string[]
    effective_configuration: Setting[]
    memory: { before_bytes: number | null; after_load_bytes: number | null; after_bytes: number | null }
    commands: string[]
  } | null
  findings: Finding[]
  disclaimers: Disclaimer[]
  reproduce: { yaml: string; command: string }
  timeline: { at: string; kind: string; label: string }[]
}

export interface OperationSeries {
  t: number[]
  throughput: (number | null)[]
  errors: (number | null)[]
  not_found: (number | null)[]
  p50_us: (number | null)[]
  p99_us: (number | null)[]
  p999_us: (number | null)[]
  p9999_us: (number | null)[]
}

export interface RunSeries {
  phases: { kind: string; start_seconds: number; end_seconds: number }[]
  operations: Record<string, OperationSeries>
  resources: {
    t: number[]
    cpu_percent: (number | null)[]
    resident_bytes: (number | null)[]
    driver_cpu_percent: (number | null)[]
  }
}

export interface RunSpectrum {
  operations: Record<string, { quantile: number; value_us: number; count: number }[]>
}

export interface RunHeatmap {
  t: number[]
  buckets_us: number[]
  counts: number[][]
}

export interface Estimate {
  median: number
  low: number | null
  high: number | null
  repeats: number
  confidence: number
}

export interface Difference {
  metric: string
  workload: string
  load_level: LoadLevel
  baseline_side: string
  side: string
  baseline_median: number
  median: number
  relative: number
  low: number | null
  high: number | null
  p_value: number | null
  p_holm: number | null
  cliffs_delta: number | null
  verdict: 'changed' | 'equivalent' | 'inconclusive' | 'insufficient'
  better: boolean | null
  significance: number | null
  threshold: number
  repeats_needed: number | null
}

export interface ComparisonSide {
  key: string
  label: string
  campaign_id: string
  campaign_number: number
  target: string
  system_id: string
  colour: string
  mark: string
  version: string | null
}

/** The figures that sides are compared by. */
export type Metric =
  | 'throughput'
  | 'p50_us'
  | 'p95_us'
  | 'p99_us'
  | 'p999_us'
  | 'memory_bytes'
  | 'load_throughput'

export interface Repeat {
  run_id: string
  throughput: number | null
  p50_us: number | null
  p95_us: number | null
  p99_us: number | null
  p999_us: number | null
  mean_us: number | null
  memory_bytes: number | null
  load_throughput: number | null
}

export interface ComparisonCell {
  side: string
  workload: string
  load_level: LoadLevel
  status: string
  repeats: Repeat[]
  failed_runs: number
  throughput: Estimate | null
  p50_us: Estimate | null
  p95_us: Estimate | null
  p99_us: Estimate | null
  p999_us: Estimate | null
  memory_before_bytes: Estimate | null
  memory_bytes: Estimate | null
  load_throughput: Estimate | null
}

export interface Comparison {
  sides: ComparisonSide[]
  baseline: number
  workloads: string[]
  load_levels: LoadLevel[]
  cells: ComparisonCell[]
  differences: Difference[]
  fairness: {
    aspect: string
    label: string
    values: (string | null)[]
    same: boolean
    confounder: boolean
    explanation: string
  }[]
  findings: Finding[]
  disclaimers: Disclaimer[]
  unmatched: { side: string; workload: string; load_level: LoadLevel; reason: string }[]
  disclosure: { completeness: number; items: { label: string; value: string }[] }
}

export interface Gate {
  verdict: string
  exit_code: number
  base_campaign_id: string | null
  campaign_id: string
  comparisons: Difference[]
  message: string
  link: string
}

export interface SeriesSummary {
  id: string
  system_id: string
  target: string
  workload: string
  load_level: LoadLevel
  metric: Metric
  points_count: number
  last_value: number | null
  last_at: string | null
  change_points_count: number
  experiment: { id: string; name: string }
}

export interface Series extends SeriesSummary {
  points: {
    at: string
    campaign_id: string
    campaign_number: number
    value: number
    low: number | null
    high: number | null
    repeats: number[]
    segment: number
    version: string | null
  }[]
  segments: { index: number; fingerprint: string; label: string; starts_at: string }[]
  change_points: {
    id: string
    at: string
    campaign_id: string
    before: number
    after: number
    relative: number
    p_value: number
    status: 'candidate' | 'confirmed'
    state: string
  }[]
}
