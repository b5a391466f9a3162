"""How figures of runs are named; those that can be compared, and what matters in each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure as everybody names it: pages, exports, sentences."""

    name: str
    label: str
    short: str
    """Where what it is a figure of is plain: `p99`."""
    unit: str
    higher_is_better: bool
    note: str
    """What exactly is counted."""


_MERGED = "of the merged histogram of each run"
FIGURES: tuple[Figure, ...] = (
    Figure("throughput", "Throughput", "Throughput", "1/s", True,
           "successful operations per second"),
    Figure("mean_us", "Mean latency", "mean", "µs", False, _MERGED),
    Figure("p50_us", "Median latency", "p50", "µs", False, _MERGED),
    Figure("p95_us", "p95 latency", "p95", "µs", False, _MERGED),
    Figure("p99_us", "p99 latency", "p99", "µs", False, _MERGED),
    Figure("p999_us", "p99.9 latency", "p99.9", "µs", False, _MERGED),
    Figure("p9999_us", "p99.99 latency", "p99.99", "µs", False, _MERGED),
    Figure("max_us", "Highest latency", "max", "µs", False, _MERGED),
    Figure("memory_before_bytes", "Memory before the load", "Memory before the load", "bytes",
           False, "resident, of the empty system"),
    Figure("memory_after_load_bytes", "Memory after the load", "Memory after the load", "bytes",
           False, "resident, between load and run"),
    Figure("memory_after_bytes", "Memory after the run", "Memory after the run", "bytes", False,
           "resident, after the measured phase"),
    Figure("load_throughput", "Load throughput", "Load throughput", "1/s", True,
           "inserts per second"),
)  # fmt: skip
"""Every figure of a run that has a name."""

FIGURE: dict[str, Figure] = {figure.name: figure for figure in FIGURES}


@dataclass(frozen=True)
class Metric:
    """A figure of a repeat that can be compared."""

    name: str
    label: str
    unit: str
    higher_is_better: bool
    threshold: float
    """Practical threshold, relative: 0.03 = 3 %."""


def _metric(name: str, threshold: float) -> Metric:
    figure = FIGURE[name]
    return Metric(name, figure.label, figure.unit, figure.higher_is_better, threshold)


METRICS: tuple[Metric, ...] = (
    _metric("throughput", 0.03),
    _metric("p50_us", 0.05),
    _metric("p95_us", 0.10),
    _metric("p99_us", 0.10),
    _metric("p999_us", 0.20),
    _metric("memory_after_bytes", 0.03),
    _metric("load_throughput", 0.03),
)
"""The metrics of a comparison, with their default practical thresholds."""

METRIC: dict[str, Metric] = {metric.name: metric for metric in METRICS}

FORMER_NAMES = {"memory_bytes": "memory_after_load_bytes"}
"""Figures that had another name before, which addresses and programs may still use."""


def current_name(metric: str) -> str:
    """A figure's name of today."""
    return FORMER_NAMES.get(metric, metric)
