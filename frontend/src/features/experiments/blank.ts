/** A document to begin from when no template fits: small, and valid as soon as a target is in it. */
export const BLANK_EXPERIMENT = `version: 1
slug: new-experiment
name: New experiment
workloads:
  - name: balanced
    record_count: 20000
    operations:
      read: 0.5
      update: 0.5
    request_distribution: zipfian
load_levels:
  - model: closed
    clients: 1
  - model: closed
    clients: 8
repetitions: 5
phases:
  warmup_seconds: 2
  measure_seconds: 10
`
