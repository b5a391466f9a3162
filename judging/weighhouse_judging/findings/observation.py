"""What the checks of a run look at: plain values, taken from what was recorded of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weighhouse_protocol.report import SettingSource
from weighhouse_protocol.target import Caches, Data

from weighhouse_judging.findings.counted import Reconciled
from weighhouse_judging.findings.sizes import Beyond
from weighhouse_judging.findings.steadiness import Course

PercentileKind = Literal["of_all", "averaged", "of_one_connection", "largest_of_intervals"]
"""What a printed percentile is one of: all operations, or something that is no percentile."""


@dataclass(frozen=True)
class OperationFigures:
    """One operation over the measured phase. Latencies in µs; None where nothing was measured."""

    ok: int
    not_found: int = 0
    errors: int = 0
    verify_failed: int = 0
    never_sent: int | None = 0
    """Due in an open loop, and given up without having been sent; None: not told, so that it may be
    among the errors.
    """
    answered_late: int | None = 0
    """Of what was answered in an open loop: after the phase had ended; None: not told."""
    timeouts: int = 0
    """Of the errors: no answer in time."""
    beyond_range: int = 0
    """Answers that took longer than the driver's or tool's histograms reach: in no percentile."""
    throughput: float = 0.0
    mean_us: float | None = None
    quantiles_us: Mapping[float, float] = field(default_factory=dict)
    """Quantile (0.99) → latency, of the successes."""
    asked_mean_us: float | None = None
    """Mean of everything asked: failed and not found at the time they took."""

    @property
    def asked(self) -> int:
        """Operations that were sent, whatever became of them."""
        return self.ok + self.not_found + self.errors + self.verify_failed


@dataclass(frozen=True)
class Sampled:
    """What reads of a sample of records came to, before anything was measured."""

    found: int
    """Whole, and of the workload's shape."""
    missing: int = 0
    misshapen: int = 0
    failed: int = 0
    words: str = ""
    """What the server said first of those that failed."""

    @property
    def asked(self) -> int:
        """Records in the sample."""
        return self.found + self.missing + self.misshapen + self.failed


@dataclass(frozen=True)
class ErrorsSeen:
    """An operation's errors of one kind in a phase, and what was said first of them."""

    phase: str
    operation: str | None
    """None: of all operations together."""
    kind: str
    count: int
    words: str | None


@dataclass(frozen=True)
class SettingSeen:
    """One line of the effective configuration; `default` None when the vendor's is not known."""

    name: str
    value: str
    default: str | None
    source: SettingSource


@dataclass(frozen=True)
class RunObservation:
    """What is known of a run when it is checked. None means not known, and is never judged."""

    load_model: Literal["closed", "open"]
    everything: OperationFigures
    clients: int | None = None
    pipeline: int = 1
    think_time_us: float = 0.0
    asked_operations: int | None = None
    """After how many operations the measured phase was to end, if its time was not over before."""
    asked_seconds: float | None = None
    """How long was to be measured, at most; None: not known."""
    seconds: float | None = None
    """Length of the measured phase."""
    operations: Mapping[str, OperationFigures] = field(default_factory=dict)
    """Each kind of operation by itself."""
    rate_per_second: float | None = None
    """Operations due a second, of an open loop whose rate does not change."""
    arrival: Literal["constant", "poisson"] = "constant"
    percentile_kind: PercentileKind = "of_all"
    """Of imported figures; a run's own come out of merged histograms."""
    course: Course | None = None
    """The intervals of the measured phase."""
    driver_cpu_percent: float | None = None
    lag_p99_us: float | None = None
    client_bound: bool = False
    client_bound_reasons: Sequence[str] = ()
    saturated: bool = False
    """Operations had to wait, because as many were under way as the load allows."""
    places: int | None = None
    """How many those are, in an open loop."""
    co_located: bool | None = None
    records_asked: int | None = None
    key_space: int | None = None
    """Records that the workload names in all; fewer may be loaded and asked for."""
    caches: Caches | None = None
    """What was done to caches between load and measurement; None: nobody said."""
    reads: bool = False
    """Whether the workload reads records."""
    reads_disk: bool = False
    """Whether the system's reads may go to disk, as far as its manifest says."""
    data: Data = "fresh"
    """Whose records they are, by the target."""
    writes: bool = False
    """The workload changes records while it is measured."""
    sampled: Sampled | None = None
    held_before: int | None = None
    """Records that an external system held before the campaign's first load, which nobody said
    yes to."""
    misses_expected: bool = False
    fills: bool = False
    """Whether the system is a cache, which reads fill with what they miss: what is missing is not
    lost."""
    """The workload deletes records, lets them expire, or asks for keys that were never there."""
    broken_on_purpose: bool = False
    """Something was done to the system while it was measured."""
    records_loaded: int | None = None
    """Acknowledged in the load phase."""
    records_held: int | None = None
    """After the load phase, by the system's own count of what it holds."""
    records_inserted: int = 0
    """Acknowledged since, while it warmed up and was measured."""
    record_bytes: int | None = None
    """Payload alone."""
    footprint_bytes: int | None = None
    """What a copy of a record takes in this system, by its manifest."""
    steal_percent: float | None = None
    """Mean over the measured phase, of the machine that lost most."""
    steal_percent_max: float | None = None
    """Largest of one sample; told, not judged."""
    governor: str | None = None
    other_cpu_percent: float | None = None
    """CPU used by neither system nor driver, median over the measured phase; 100 = one core."""
    swapped_bytes: float | None = None
    """Moved between memory and swap in the measured phase."""
    throttled_seconds: float | None = None
    """Time that a control group's limit held processes back in the measured phase."""
    thermal_throttles: float | None = None
    """How often a core was slowed for heat in the measured phase."""
    clocks_off_seconds: Mapping[str, float] = field(default_factory=dict)
    """Agent of a gang → how far its clock was off, without its sign."""
    clock_errors_seconds: Mapping[str, float] = field(default_factory=dict)
    """Agent of a gang → how well its offset is known."""
    interval_seconds: float | None = None
    latency_understated: bool = False
    """The driver is from before it counted the waiting of its clients behind each other."""
    cores: int | None = None
    machine_memory_bytes: int | None = None
    nodes: int = 1
    copies: int = 1
    """Of each record, over all nodes."""
    memory_limit_bytes: int | None = None
    """What the operating system lets each node use."""
    data_memory_bytes: int | None = None
    """What each node itself gives to records, its effective setting, that part of which they may
    take; beyond it the system evicts, refuses, or goes to disk."""
    data_on_disk: bool = False
    """That is a size on disk, and no bound of memory."""
    beyond: Beyond | None = None
    """What becomes of records beyond it."""
    cache_bytes: int | None = None
    """What each node gives to a cache before its files."""
    settings: Sequence[SettingSeen] = ()
    not_told: Sequence[str] = ()
    """Questions that only describe the system and that it refused: `CONFIG GET: NOPERM …`."""
    reconciled: Reconciled | None = None
    """What client and server counted of the same; None: the system keeps no such counters."""
    failures: Sequence[ErrorsSeen] = ()
    """What failed in its phases."""
