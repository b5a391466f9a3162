import type {
  Completeness,
  Comparison,
  ComparisonCell,
  ComparisonSide,
  Difference,
  Estimate,
  LoadLevel,
  Repeat,
} from '@/api'

/** A small comparison for specs: three sides, one workload, three loads, two repeats a cell. */

export const levels: LoadLevel[] = [1, 4, 8].map((value) => ({
  kind: 'closed',
  value,
  label: value === 1 ? '1 client' : `${value} clients`,
}))

export function testSide(key: string, extra: Partial<ComparisonSide> = {}): ComparisonSide {
  return {
    key,
    label: key,
    campaign_id: 'c',
    campaign_number: 1,
    target: key,
    system_id: key,
    colour: '#D55E00',
    mark: '●',
    hollow: false,
    version: '7',
    under_way: false,
    runs_ended: 6,
    runs_completed: 6,
    runs: 6,
    ...extra,
  }
}

export function testEstimate(median: number): Estimate {
  return { median, low: median * 0.9, high: median * 1.1, repeats: 2, kind: 'range', confidence: null }
}

/** A cell whose two repeats lie 10 % around its medians. */
export function testCell(
  side: string,
  level: LoadLevel,
  figures: { throughput: number; p99_us: number },
): ComparisonCell {
  const repeat = (run_id: string, by: number): Repeat => ({
    run_id,
    repetition: by < 1 ? 1 : 2,
    figures: { throughput: figures.throughput * by, p99_us: figures.p99_us * by },
  })
  return {
    side,
    workload: 'reads',
    load_level: level,
    status: 'completed',
    repeats: [repeat(`${side}-${level.value}-1`, 0.9), repeat(`${side}-${level.value}-2`, 1.1)],
    failed_runs: [],
    failed_repeats: null,
    failed_operations: null,
    figures: {
      throughput: { ...testEstimate(figures.throughput), statistic: 'counted' },
      p99_us: { ...testEstimate(figures.p99_us), statistic: 'merged' },
    },
  }
}

export function testDifference(side: string, level: LoadLevel, extra: Partial<Difference> = {}): Difference {
  return {
    metric: 'throughput',
    workload: 'reads',
    load_level: level,
    baseline_side: 'redis',
    side,
    baseline_median: 1000,
    median: 2000,
    relative: 1,
    low: 0.8,
    high: 1.2,
    kind: 'interval',
    equality_low: 0.84,
    equality_high: 1.17,
    method: 'paired',
    baseline_repeats: 5,
    repeats: 5,
    left_out: 0,
    p_value: 0.001,
    p_holm: 0.02,
    verdict: 'changed',
    decided_by: 'level',
    better: true,
    significance: 10,
    threshold: 0.05,
    floor: null,
    resolution: null,
    repeats_needed: null,
    basis: 'medians',
    basis_in_percent: 'medians',
    word: 'more',
    ...extra,
  }
}

/** Of figures that are all there will be. */
export const COMPLETE: Completeness = {
  complete: true,
  words: '',
  runs_ended: 0,
  runs: 0,
  under_way: [],
  at: null,
}

const keys = ['redis', 'memcached', 'rocksdb']
export const testComparison: Comparison = {
  published: [],
  completeness: COMPLETE,
  sides: keys.map((key) => testSide(key)),
  baseline: 0,
  workloads: ['reads'],
  load_levels: levels,
  cells: keys.flatMap((key, at) =>
    levels.map((level) =>
      testCell(key, level, {
        throughput: 10_000 * (at + 1) * Math.min(level.value, 4),
        p99_us: 100 * level.value * (at + 1),
      }),
    ),
  ),
  headline: { badge: '', tone: 'open', so_far: false, failed: '', sentence: '', sure: '' },
  leads: [],
  readings: [],
  caveats: [],
  differences: levels.flatMap((level) => keys.slice(1).map((key) => testDifference(key, level))).reverse(),
  rankings: [],
  fairness: [],
  unmatched: [],
  disclosure: {
    completeness: 0,
    asked: 0,
    answered: 0,
    basis: 'measured',
    sections: [],
    items: [],
    publication: 'unknown',
    decisions: [],
  },
}
