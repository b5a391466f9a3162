"""What the checks of a run look at: plain values, taken from what was recorded of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class OperationFigures:
    """One operation over the measured phase. Latencies in µs; None where nothing was measured."""

    ok: int
    not_found: int = 0
    errors: int = 0
    verify_failed: int = 0
    throughput: float = 0.0
    mean_us: float | None = None
    quantiles_us: Mapping[float, float] = field(default_factory=dict)
    """Quantile (0.99) → latency."""


@dataclass(frozen=True)
class SettingSeen:
    """One line of the effective configuration; `default` None when the vendor's is not known."""

    name: str
    value: str
    default: str | None
    source: Literal["default", "experiment", "plugin"]


@dataclass(frozen=True)
class RunObservation:
    """What is known of a run when it is checked. None means not known, and is never judged."""

    load_model: Literal["closed", "open"]
    everything: OperationFigures
    clients: int | None = None
    pipeline: int = 1
    think_time_us: float = 0.0
    interval_throughputs: Sequence[float] = ()
    """Successes a second, one value an interval of the measured phase."""
    driver_cpu_percent: float | None = None
    lag_p99_us: float | None = None
    client_bound: bool = False
    client_bound_reasons: Sequence[str] = ()
    co_located: bool | None = None
    records_asked: int | None = None
    misses_expected: bool = False
    """The workload deletes records, lets them expire, or asks for keys that were never there."""
    broken_on_purpose: bool = False
    """Something was done to the system while it was measured."""
    records_loaded: int | None = None
    record_bytes: int | None = None
    steal_percent_max: float | None = None
    governor: str | None = None
    other_cpu_percent: float | None = None
    """CPU used by neither system nor driver, median over the run; 100 = one core."""
    throttled_seconds: float | None = None
    """Time that a control group's limit held processes back, summed over the run."""
    thermal_throttles: float | None = None
    """How often a core was slowed for heat."""
    clocks_off_seconds: Mapping[str, float] = field(default_factory=dict)
    """Agent of a gang → how far its clock was off, without its sign."""
    interval_seconds: float | None = None
    latency_understated: bool = False
    """The driver is from before it counted the waiting of its clients behind each other."""
    cores: int | None = None
    machine_memory_bytes: int | None = None
    settings: Sequence[SettingSeen] = ()
