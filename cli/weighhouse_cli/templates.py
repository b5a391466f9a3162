"""First experiment files to change, one for each scenario."""

from weighhouse_protocol.scenarios import Scenario

_HEAD = """\
# {what}
# `weighhouse experiment validate` says what is wrong with this file, and what it would take.
version: 1
slug: {slug}
name: {name}
targets:
  - {{name: redis, system: redis}}
{more}workloads:
  - name: balanced
    record_count: 100000
    operations: {{read: 0.5, update: 0.5}}
    request_distribution: zipfian
"""

_BALANCED = "operations: {read: 0.5, update: 0.5}"
_INSERTS = "operations: {insert: 0.5, read: 0.5}   # only what inserts can fill"

# Its default of 64 MiB would evict half of the records.
_MEMCACHED = """\
  - {name: memcached, system: memcached, parameters: {memory_mebibytes: 256}}
"""

_FIXED = """\
load_levels:
  - {model: closed, clients: 1}
  - {model: closed, clients: 8}
repetitions: 5      # five or more allow a claim
phases:
  warmup_seconds: 2
  measure_seconds: 10
  # Load once, and measure several workloads of the same records one after the other, in this order:
  # chain: [{measure: writes}, {measure: balanced, warmup_seconds: 0, measure_seconds: 30}]
"""

_SWEEP = """\
scenario: sweep
load_levels:        # each is where a curve begins; a rate is swept with `model: open`
  - {model: closed, clients: 1}
sweep:
  to: 64            # doubled up to here: 1, 2, 4, …
  refine: 4         # further points around the knee
  # stop_at: {percentile: 99, limit_us: 5000}   # no higher once p99 passes 5 ms
repetitions: 3      # of each point
phases: {warmup_seconds: 2, measure_seconds: 5}
"""

_CALIBRATE = """\
scenario: calibrate
latency_envelope: {percentile: 99, limit_us: 1000}   # the most load with p99 within 1 ms
load_levels:        # each is where a search begins; with `model: closed` it looks for clients
  - {model: open, rate_per_second: 1000, connections: 16}
calibrate:
  measurements: 20  # points a search may take
  precision_percent: 3
  # at_most: 200000 # no rate beyond is tried
repetitions: 3      # of each point
phases: {warmup_seconds: 2, measure_seconds: 5}
"""

_PEAK = """\
scenario: peak
load_levels:        # closed loops; the level's own pipeline is the ladder's first depth
  - {model: closed, clients: 8}
peak:
  depths: [2, 5, 10, 20, 50, 100]   # requests a client keeps in flight
  # stop_at: {percentile: 99, limit_us: 5000}   # no deeper once p99 passes 5 ms
repetitions: 3      # of each depth
phases: {warmup_seconds: 2, measure_seconds: 5}
"""

_SUSTAINED = """\
scenario: sustained
load_levels:
  - {model: closed, clients: 8}
sustained:
  # When it is full: records, memory_bytes, disk_bytes, memory_share (of limits.memory_mebibytes),
  # or disk_share; say one. It ends before less than 5 % of the disk is free.
  until: {records: 1000000}
repetitions: 3
phases: {warmup_seconds: 0, measure_seconds: 600}   # measure_seconds: at most so long
"""

_SOAK = """\
scenario: soak      # drift, leaks, stalls that return
load_levels:        # a rate that it surely bears; `model: closed` asks as fast as it can
  - {model: open, rate_per_second: 2000, connections: 16}
repetitions: 1
phases: {warmup_seconds: 60, measure_seconds: 14400}   # hours tell more than minutes
"""

_FAULT = """\
scenario: fault
load_levels:
  - {model: open, rate_per_second: 2000, connections: 16}
faults:             # in order of time, in seconds of the measured phase
  - {at_seconds: 5, verb: pause}
  - {at_seconds: 8, verb: resume}
repetitions: 5
phases: {warmup_seconds: 2, measure_seconds: 15}
"""

_NOISE = """\
scenario: noise     # every target twice in a block: what differs between twins is the machine's
load_levels:
  - {model: closed, clients: 8}
repetitions: 10
phases: {warmup_seconds: 2, measure_seconds: 10}
"""

_PARTS: dict[Scenario, tuple[str, str, str, bool]] = {
    "fixed": ("How fast are they at these loads?", "My comparison", _FIXED, True),
    "sweep": ("The load curve of each target, and its knee.", "My sweep", _SWEEP, True),
    "calibrate": (
        "The most load inside a latency, for each target on its own.",
        "My calibration",
        _CALIBRATE,
        True,
    ),
    "peak": ("How much with pipelining, and what it costs.", "My peak", _PEAK, True),
    "sustained": ("What happens while it fills?", "My fill", _SUSTAINED, False),
    "soak": ("Does it stay so for hours?", "My soak", _SOAK, False),
    "fault": ("What a failure costs.", "My fault", _FAULT, False),
    "noise": ("How still is this machine?", "My noise", _NOISE, False),
}


def template(scenario: Scenario, slug: str) -> str:
    """A commented experiment file (YAML) that is valid as it is."""
    what, name, course, compares = _PARTS[scenario]
    more = _MEMCACHED if compares else ""
    head = _HEAD.format(what=what, slug=slug, name=name, more=more)
    if scenario == "sustained":
        head = head.replace(_BALANCED, _INSERTS)
    return head + course
