"""First experiment files to change, one for each scenario."""

from typing import Literal

Scenario = Literal["fixed", "sweep", "calibrate", "fault", "noise"]

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

_MEMCACHED = "  - {name: memcached, system: memcached}\n"

_FIXED = """\
load_levels:
  - {model: closed, clients: 1}
  - {model: closed, clients: 8}
repetitions: 5      # five or more allow a claim
phases: {warmup_seconds: 2, measure_seconds: 10}
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
  measurements: 12  # points a search may take
  precision_percent: 3
  # at_most: 200000 # no rate beyond is tried
repetitions: 3      # of each point
phases: {warmup_seconds: 2, measure_seconds: 5}
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
    "fault": ("What a failure costs.", "My fault", _FAULT, False),
    "noise": ("How still is this machine?", "My noise", _NOISE, False),
}


def template(scenario: Scenario, slug: str) -> str:
    """A commented experiment file (YAML) that is valid as it is."""
    what, name, course, compares = _PARTS[scenario]
    more = _MEMCACHED if compares else ""
    return _HEAD.format(what=what, slug=slug, name=name, more=more) + course
