"""`fault`: what does a failure cost? Pure.

Figures before, during and after; when it was first noticed, when something succeeded again, and
when latency was back within a band of what it was, to stay. All times are told to the interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.percent import percent

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.scenarios import scenario, spread
from weighhouse_judging.scenarios.scenario import Reason, Refusal
from weighhouse_judging.scenarios.spread import Interval, Spread

Stretch = Literal["before", "during", "after"]
BandBy = Literal["asked", "own_scatter"]

BAND = 0.10
"""How much above its old value a percentile may be to be back."""
WINDOW = 5
"""Intervals whose median is compared: one slow interval is no relapse."""
SCATTER = 3.3
"""Deviations of such a median, by what it scattered before the fault, that the band has to hold:
one window in two thousand lies outside by chance."""
NOTICED = 0.5
"""Throughput below this share of the old, or a percentile above its inverse, is noticed."""
FEWEST_BEFORE = 5
"""Intervals before the fault that tell what is usual."""


@dataclass(frozen=True)
class Plan:
    """When something was done to the system, from the phase's begin."""

    begin_seconds: float
    end_seconds: float
    """When the last of it was done: node started again, network healed."""
    latency: str = "p99_us"
    band: float = BAND


@dataclass(frozen=True)
class Part:
    """Figures of one stretch; merged percentiles of it come from elsewhere, by its intervals."""

    stretch: Stretch
    begin: int
    end: int
    """Intervals `begin` up to, not with, `end`."""
    ok: int
    failed: int
    late: int | None
    throughput: Spread | None
    latency_us: Spread | None


@dataclass(frozen=True)
class Cost:
    """What a failure cost. Times in seconds from the fault's begin, to within `resolution`."""

    parts: tuple[Part, Part, Part]
    detected_seconds: float | None
    """When an operation failed, or throughput halved, or the percentile doubled; None: never."""
    without_success_seconds: float
    """How long in all nothing succeeded, from the fault on."""
    first_success_seconds: float | None
    """The first success after the first interval without one; None: there was none without, or
    nothing ever succeeded again."""
    returned_seconds: float | None
    """From when on the percentile stayed inside the band; None: it did not return."""
    band: float
    """Relative: asked, or wider where the intervals before the fault scatter more by themselves."""
    band_by: BandBy
    old_latency_us: float | None
    """Median of the intervals before the fault."""
    operations_failed: int
    """From the fault on."""
    operations_late: int | None
    operations_missing: float
    """What would have succeeded at the old throughput from the fault on until it returned (or the
    end), less what did; at least 0."""
    resolution_seconds: float
    reason: Reason
    """How it ended, in a sentence."""


def refusals(plan: Plan, intervals: Sequence[Interval]) -> tuple[Refusal, ...]:
    """What is wrong with a plan for these intervals."""
    found = scenario.latency_refused("latency", plan.latency)
    found += scenario.share_refused("band", plan.band, 0.001, 10.0)
    if plan.end_seconds < plan.begin_seconds:
        message = f"it ends at {plan.end_seconds:g} s, before it begins"
        found.append(Refusal("end_seconds", message, f"{plan.begin_seconds:g} s or later"))
    before = sum(one.end_seconds <= plan.begin_seconds for one in intervals)
    if before < FEWEST_BEFORE:
        message = f"{before} intervals lie before the fault"
        mend = f"break nothing before {FEWEST_BEFORE} intervals have passed"
        found.append(Refusal("begin_seconds", message, mend))
    return tuple(found)


def figures(plan: Plan, intervals: Sequence[Interval]) -> Cost:
    """What it cost; intervals in order of time. Raises PlanRefused."""
    scenario.checked(refusals(plan, intervals))
    begin = sum(one.end_seconds <= plan.begin_seconds for one in intervals)
    end = max(begin, sum(one.begin_seconds < plan.end_seconds for one in intervals))
    parts = (
        _part("before", plan, intervals, 0, begin),
        _part("during", plan, intervals, begin, end),
        _part("after", plan, intervals, end, len(intervals)),
    )
    since, before = intervals[begin:], intervals[:begin]
    old = None if parts[0].latency_us is None else parts[0].latency_us.median
    rate = sum(one.ok for one in before) / sum(one.seconds for one in before)
    limit, by = _band(plan, before, old)
    back = None if old is None else _returned(plan, since, old * (1.0 + limit))
    until = since if back is None else since[:back]
    late = [one.late for one in since if one.late is not None]
    missing = sum(rate * one.seconds - one.ok for one in until)
    silent = [place for place, one in enumerate(since) if one.ok == 0]
    first = next(
        (one for place, one in enumerate(since) if one.ok and silent and place > silent[0]), None
    )
    returned = None if back is None else max(0.0, since[back].begin_seconds - plan.begin_seconds)
    return Cost(
        parts,
        _detected(plan, since, rate, old),
        float(sum(since[place].seconds for place in silent)),
        None if first is None else max(0.0, first.begin_seconds - plan.begin_seconds),
        returned,
        limit,
        by,
        old,
        sum(one.failed for one in since),
        sum(late) if late else None,
        max(0.0, missing),
        max((one.seconds for one in intervals), default=0.0),
        _told(plan, returned, limit, by),
    )


def _part(
    stretch: Stretch, plan: Plan, intervals: Sequence[Interval], begin: int, end: int
) -> Part:
    some = intervals[begin:end]
    late = [one.late for one in some if one.late is not None]
    return Part(
        stretch,
        begin,
        end,
        sum(one.ok for one in some),
        sum(one.failed for one in some),
        sum(late) if late else None,
        spread.of_throughput(some),
        spread.of_latency(some, plan.latency),
    )


def _band(plan: Plan, before: Sequence[Interval], old: float | None) -> tuple[float, BandBy]:
    """The band, or what the system's own windows before the fault need, whichever is wider."""
    if old is None:
        return plan.band, "asked"
    known = [value for one in before if (value := one.latency_us(plan.latency)) is not None]
    deviation = statistics.robust_sigma(np.log(known).tolist()) * math.sqrt(math.pi / 2 / WINDOW)
    own = math.expm1(SCATTER * deviation)
    return (own, "own_scatter") if own > plan.band else (plan.band, "asked")


def _windows(values: Sequence[float | None]) -> list[float | None]:
    """The median of each value and those after it, a window of five; None where half are not known.

    An interval without a success has no latency, and is worse than any.
    """
    found: list[float | None] = []
    for place in range(max(1, len(values) - WINDOW + 1)):
        some = [np.inf if one is None else one for one in values[place : place + WINDOW]]
        middle = float(np.median(some)) if some else np.inf
        found.append(middle if np.isfinite(middle) else None)
    return found


def _returned(plan: Plan, since: Sequence[Interval], most: float) -> int | None:
    """The first interval from which on every window stays inside, itself among those inside."""
    values = [one.latency_us(plan.latency) for one in since]
    windows = _windows(values)
    outside = [place for place, one in enumerate(windows) if one is None or one > most]
    begin = outside[-1] + 1 if outside else 0
    if begin >= len(windows):
        return None
    for place in range(begin, len(values)):
        value = values[place]
        if value is not None and value <= most:
            return place
    return None


def _detected(
    plan: Plan, since: Sequence[Interval], rate: float, old: float | None
) -> float | None:
    for one in since:
        latency = one.latency_us(plan.latency)
        slow = old is not None and latency is not None and latency > old / NOTICED
        if one.failed or one.throughput < NOTICED * rate or slow:
            return max(0.0, one.begin_seconds - plan.begin_seconds)
    return None


def _told(plan: Plan, returned: float | None, band: float, by: BandBy) -> Reason:
    wide = "" if by == "asked" else " (as wide as it scattered before the fault)"
    name = CATALOGUE[plan.latency].short
    numbers = {"returned_seconds": returned, "band": band}
    if returned is None:
        sentence = f"{name} did not return within {percent(band, 0)} of what it was{wide}."
        return Reason("not_returned", sentence, numbers)
    sentence = (
        f"{name} was back within {percent(band, 0)} of what it was{wide} after "
        f"{round(returned, 1):g} s, and stayed."
    )
    return Reason("returned", sentence, numbers)
