"""The figures of a repeat that can be compared, and what difference in each matters."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A figure of a repeat that can be compared."""

    name: str
    label: str
    unit: str
    higher_is_better: bool
    threshold: float
    """Practical threshold, relative: 0.03 = 3 %."""


METRICS: tuple[Metric, ...] = (
    Metric("throughput", "Throughput", "1/s", True, 0.03),
    Metric("p50_us", "Median latency", "µs", False, 0.05),
    Metric("p95_us", "p95 latency", "µs", False, 0.10),
    Metric("p99_us", "p99 latency", "µs", False, 0.10),
    Metric("p999_us", "p99.9 latency", "µs", False, 0.20),
    Metric("memory_after_bytes", "Memory after the run", "bytes", False, 0.03),
    Metric("load_throughput", "Load throughput", "1/s", True, 0.03),
)
"""The metrics of a comparison, with their default practical thresholds."""

METRIC: dict[str, Metric] = {metric.name: metric for metric in METRICS}

FORMER_NAMES = {"memory_bytes": "memory_after_load_bytes"}
"""Figures that had another name before, which addresses and programs may still use."""


def current_name(metric: str) -> str:
    """A figure's name of today."""
    return FORMER_NAMES.get(metric, metric)
