"""Figures over the intervals of a run: how far up and down they go. Pure.

No percentile is averaged here: of a series of percentiles there are the least, the median, and the
greatest; the percentile of the whole stretch comes out of its merged histogram, elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weighhouse_judging.arithmetic import statistics


@dataclass(frozen=True)
class Interval:
    """What was recorded of one interval of a phase."""

    begin_seconds: float
    """From the phase's begin."""
    seconds: float
    ok: int
    """Successes."""
    failed: int = 0
    late: int | None = None
    """Successes that took longer than a limit of the caller's; None: not counted."""
    latencies_us: tuple[tuple[str, float], ...] = ()
    """By figure's name (`p99_us`), out of the interval's own histogram."""

    @property
    def end_seconds(self) -> float:
        """Where it ends."""
        return self.begin_seconds + self.seconds

    @property
    def throughput(self) -> float:
        """Successes a second."""
        return self.ok / self.seconds if self.seconds > 0 else 0.0

    def latency_us(self, figure: str) -> float | None:
        """A latency; None where nothing succeeded or none was given."""
        value = dict(self.latencies_us).get(figure)
        return value if value is not None and math.isfinite(value) and value > 0 else None


@dataclass(frozen=True)
class Spread:
    """A series over intervals."""

    least: float
    median: float
    greatest: float
    average: float | None
    """Of throughput, by time; None of percentiles, which cannot be averaged."""
    coefficient_of_variation: float
    peak_to_trough: float | None
    """Greatest over least; None when the least is 0."""
    intervals: int


def of_throughput(intervals: Sequence[Interval]) -> Spread | None:
    """Of successes a second; None of no interval."""
    timed = [one for one in intervals if one.seconds > 0]
    if not timed:
        return None
    average = sum(one.ok for one in timed) / sum(one.seconds for one in timed)
    return _spread([one.throughput for one in timed], average)


def of_latency(intervals: Sequence[Interval], figure: str) -> Spread | None:
    """Of a percentile of each interval; None when no interval has one."""
    known = [value for one in intervals if (value := one.latency_us(figure)) is not None]
    return _spread(known, None) if known else None


def latencies_of(intervals: Sequence[Interval]) -> tuple[str, ...]:
    """The names of the latencies that were recorded, in their order."""
    return tuple(dict.fromkeys(name for one in intervals for name, _ in one.latencies_us))


def _spread(values: Sequence[float], average: float | None) -> Spread:
    least, greatest = min(values), max(values)
    return Spread(
        least,
        float(np.median(values)),
        greatest,
        average,
        statistics.coefficient_of_variation(values),
        greatest / least if least > 0 else None,
        len(values),
    )
