"""Measurements gathered by level, and how much they scatter. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from weighhouse_judging.arithmetic.intervals import (
    FEWEST_FOR_AN_INTERVAL,
    Bounds,
    level_or_range,
)
from weighhouse_judging.scenarios.scenario import Axis, Measurement, Purpose, rounded

TRIES_ELSEWHERE = 1
"""Measurements of a level that are asked for again when something else than the system failed."""
CLEAR = 0.99
"""Confidence at which a difference between two points is more than noise."""
PRIOR_FREEDOM = 4.0
"""Repeats' worth of belief in the noise that a plan assumes."""


@dataclass(frozen=True)
class Estimate:
    """A figure of a point."""

    median: float
    low: float
    high: float
    is_interval: bool
    """Whether low and high are a 95 % interval; else they are the least and the greatest repeat
    (fewer than 4 have no interval)."""
    repeats: int


@dataclass(frozen=True)
class Point:
    """What was measured at one level."""

    level: float
    throughput: Estimate | None
    """Successes a second; None when nothing could be measured."""
    latency_us: Estimate | None
    """Of the percentile that the plan names."""
    mean_us: Estimate | None
    attempts: int
    failures: tuple[str, ...]
    failed_by_system: int

    @property
    def usable(self) -> bool:
        """Whether it has a throughput."""
        return self.throughput is not None


def gathered(axis: Axis, measured: Sequence[Measurement]) -> dict[float, tuple[Measurement, ...]]:
    """Measurements by level, rising; a measurement without a throughput counts as an attempt."""
    found: dict[float, list[Measurement]] = {}
    for one in measured:
        if math.isfinite(one.level) and one.level > 0:
            found.setdefault(rounded(axis, one.level), []).append(one)
    return {level: tuple(found[level]) for level in sorted(found)}


def point(level: float, measured: Sequence[Measurement], latency: str) -> Point:
    """The figures of one level."""
    failures = [one.failure for one in measured if one.failure is not None]
    return Point(
        level,
        _estimate(measured, "throughput"),
        _estimate(measured, latency),
        _estimate(measured, "mean_us"),
        len(measured),
        tuple(failure.words for failure in failures),
        sum(failure.by == "system" for failure in failures),
    )


def missing(measured: Sequence[Measurement], repeats: int) -> Purpose | None:
    """Why a level is to be measured (again): `first`, `again`; None when it was measured enough.

    A run that something else than the system spoiled is asked for once more.
    """
    spoiled = [one for one in measured if one.failure is not None and one.failure.by == "elsewhere"]
    wanted = repeats + min(len(spoiled), TRIES_ELSEWHERE)
    if len(measured) >= wanted:
        return None
    return "again" if measured else "first"


def noise(groups: Sequence[Sequence[Measurement]], figure: str, assumed: float) -> float:
    """Standard deviation of the logarithm of a figure of one run, pooled over levels.

    What was assumed counts as a few repeats, so that two repeats that happen to agree are not taken
    for a machine without noise.
    """
    squares, freedom = 0.0, 0.0
    for group in groups:
        values = [value for one in group if (value := one.figure(figure)) is not None]
        if len(values) > 1:
            logs = np.log(np.asarray(values, dtype=np.float64))
            squares += float(logs.var()) * len(values)
            freedom += len(values) - 1
    total = PRIOR_FREEDOM + freedom
    return math.sqrt((PRIOR_FREEDOM * assumed**2 + squares) / total)


def clearly_less(one: Estimate, other: Estimate, deviation: float) -> bool:
    """Whether `one` lies below `other` by more than noise, with 99 % confidence (one-sided)."""
    error = deviation * math.sqrt(1.0 / one.repeats + 1.0 / other.repeats)
    return math.log(other.median / one.median) > float(special.ndtri(CLEAR)) * error


def _estimate(measured: Sequence[Measurement], figure: str) -> Estimate | None:
    values = [value for one in measured if (value := one.figure(figure)) is not None]
    if not values:
        return None
    ends: Bounds = level_or_range(values)
    return Estimate(
        float(np.median(values)),
        ends.low,
        ends.high,
        len(values) >= FEWEST_FOR_AN_INTERVAL,
        len(values),
    )
