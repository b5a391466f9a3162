// Generated from the API's document; do not edit.

/** How the figures of runs are named; `short` where what it is a figure of is plain. */
export const FIGURES = {
  throughput: {
    label: 'Throughput',
    short: 'Throughput',
    unit: '1/s',
    moreIsBetter: true,
    note: 'successful operations per second',
  },
  mean_us: {
    label: 'Mean latency',
    short: 'mean',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  p50_us: {
    label: 'Median latency',
    short: 'p50',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  p95_us: {
    label: 'p95 latency',
    short: 'p95',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  p99_us: {
    label: 'p99 latency',
    short: 'p99',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  p999_us: {
    label: 'p99.9 latency',
    short: 'p99.9',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  p9999_us: {
    label: 'p99.99 latency',
    short: 'p99.99',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  max_us: {
    label: 'Highest latency',
    short: 'max',
    unit: 'µs',
    moreIsBetter: false,
    note: 'of the merged histogram of each run',
  },
  memory_before_bytes: {
    label: 'Memory before the load',
    short: 'Memory before the load',
    unit: 'bytes',
    moreIsBetter: false,
    note: 'resident, of the empty system',
  },
  memory_after_load_bytes: {
    label: 'Memory after the load',
    short: 'Memory after the load',
    unit: 'bytes',
    moreIsBetter: false,
    note: 'resident, between load and run',
  },
  memory_after_bytes: {
    label: 'Memory after the run',
    short: 'Memory after the run',
    unit: 'bytes',
    moreIsBetter: false,
    note: 'resident, after the measured phase',
  },
  load_throughput: {
    label: 'Load throughput',
    short: 'Load throughput',
    unit: '1/s',
    moreIsBetter: true,
    note: 'inserts per second',
  },
} as const
