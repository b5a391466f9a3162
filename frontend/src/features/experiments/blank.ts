/** A document to begin from when no template fits: small, and valid as soon as it has a name and a target. */
export const BLANK_EXPERIMENT = `version: 1
slug: ''
name: ''
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
