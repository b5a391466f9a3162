"""`sustained`: what happens while it fills? Pure.

The axis is progress: how much of what was to be filled is filled, 0 to 1. Amounts (records, bytes)
are sampled at times of their own and never taken back: where a store shrinks for a while
(compaction), progress stands.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from weighhouse_protocol.percent import percent
from weighhouse_protocol.scenarios import DISK_KEPT_FREE, fill_ended

from weighhouse_judging.findings.words import bytes_in_words
from weighhouse_judging.scenarios import scenario, spread
from weighhouse_judging.scenarios.scenario import Reason, Refusal
from weighhouse_judging.scenarios.spread import Interval, Spread

Fills = Literal["records", "bytes"]
TENTH = 0.1
"""The first and the last part of the fill that are set side by side."""


@dataclass(frozen=True)
class Plan:
    """What is to be filled."""

    fills: Fills
    target: float
    """Records or bytes."""
    most_seconds: float | None = None


@dataclass(frozen=True)
class Amount:
    """How much was there at a moment."""

    at_seconds: float
    """From the phase's begin."""
    amount: float


@dataclass(frozen=True)
class Tenth:
    """The intervals of a tenth of the fill: `begin` up to, not with, `end`."""

    begin: int
    end: int
    from_progress: float
    to_progress: float
    throughput: float
    """Successes over time."""


@dataclass(frozen=True)
class Fill:
    """What a fill gave."""

    progress: tuple[float, ...]
    """At the end of each interval, 0 to 1."""
    begun: float
    """Progress when the phase began: what was loaded."""
    reached: float
    first_tenth: Tenth | None
    last_tenth: Tenth | None
    """The last tenth of what the phase filled, which need not be all."""
    throughput_change: float | None
    """Last tenth against the first: -0.5 = half as much."""
    throughput: Spread | None
    latencies_us: tuple[tuple[str, Spread], ...]
    """By figure: of each percentile's series."""


def refusals(plan: Plan) -> tuple[Refusal, ...]:
    """What is wrong with a plan."""
    found = []
    if not math.isfinite(plan.target) or plan.target <= 0:
        mend = "give how much is to be there in the end"
        found.append(Refusal("target", f"{plan.target:g} {plan.fills} fill nothing", mend))
    if plan.most_seconds is not None and not 0 < plan.most_seconds < math.inf:
        found.append(Refusal("most_seconds", f"{plan.most_seconds:g} s is no time", "above 0"))
    return tuple(found)


def ends(
    plan: Plan, latest: Amount, disk_free: float | None = None, disk_size: float | None = None
) -> Reason | None:
    """Why a fill ends now; None when it goes on.

    :param disk_free: bytes free on the disk that holds the data, `disk_size` its size; a fill ends
        before it is full.
    """
    over = fill_ended(latest.amount, plan.target, disk_free, disk_size)
    if over == "disk_nearly_full" and disk_free is not None and disk_size is not None:
        sentence = (
            f"The disk is nearly full: {bytes_in_words(disk_free)} of {bytes_in_words(disk_size)} "
            f"are free, and {percent(DISK_KEPT_FREE, 0)} stay free."
        )
        return Reason("disk_nearly_full", sentence, {"free": disk_free, "size": disk_size})
    share = latest.amount / plan.target
    if over == "filled":
        return Reason("filled", f"All {_amount(plan, plan.target)} are there.", {"progress": 1.0})
    if plan.most_seconds is not None and latest.at_seconds >= plan.most_seconds:
        sentence = f"{percent(share, 0)} were filled in the {plan.most_seconds:g} s allowed."
        return Reason("time_over", sentence, {"progress": share})
    return None


def figures(plan: Plan, intervals: Sequence[Interval], amounts: Sequence[Amount]) -> Fill:
    """What a fill gave. Raises PlanRefused."""
    scenario.checked(refusals(plan))
    progress = progress_of(plan, intervals, amounts)
    begun = _begun(plan, intervals, amounts)
    reached = progress[-1] if progress else begun
    part = TENTH * (reached - begun)
    first = tenth(intervals, (begun, *progress), begun, begun + part)
    last = tenth(intervals, (begun, *progress), reached - part, reached)
    change = None
    if first is not None and last is not None and first.throughput > 0:
        change = last.throughput / first.throughput - 1.0
    series = [
        (name, found)
        for name in spread.latencies_of(intervals)
        if (found := spread.of_latency(intervals, name)) is not None
    ]
    whole = spread.of_throughput(intervals)
    return Fill(progress, begun, reached, first, last, change, whole, tuple(series))


def progress_of(
    plan: Plan, intervals: Sequence[Interval], amounts: Sequence[Amount]
) -> tuple[float, ...]:
    """Progress at the end of each interval; between two samples as if filled evenly."""
    return _at(plan, [one.end_seconds for one in intervals], amounts)


def _begun(plan: Plan, intervals: Sequence[Interval], amounts: Sequence[Amount]) -> float:
    return _at(plan, [one.begin_seconds for one in intervals[:1]], amounts)[0] if intervals else 0.0


def _at(plan: Plan, seconds: Sequence[float], amounts: Sequence[Amount]) -> tuple[float, ...]:
    samples = sorted(amounts, key=lambda one: one.at_seconds)
    known = [one for one in samples if math.isfinite(one.amount)]
    if not known or not seconds:
        return tuple(0.0 for _ in seconds)
    filled = np.maximum.accumulate([max(0.0, one.amount) for one in known])
    at = np.interp(seconds, [one.at_seconds for one in known], filled)
    return tuple(float(value) for value in np.minimum(1.0, at / plan.target))


def tenth(
    intervals: Sequence[Interval], progress: Sequence[float], low: float, high: float
) -> Tenth | None:
    """The intervals whose end lies past `low` and whose begin lies before `high`; None for none.

    :param progress: at the begin of the first interval, and at the end of each.
    """
    if not intervals:
        return None
    begins, ends = progress[:-1], progress[1:]
    inside = [
        place
        for place, (begin, end) in enumerate(zip(begins, ends, strict=True))
        if end > low and begin < high
    ]
    if not inside:
        return None
    begin, end = inside[0], inside[-1] + 1
    part = intervals[begin:end]
    seconds = sum(one.seconds for one in part)
    done = sum(one.ok for one in part) / seconds if seconds > 0 else 0.0
    return Tenth(begin, end, begins[begin], ends[end - 1], done)


def _amount(plan: Plan, amount: float) -> str:
    return bytes_in_words(amount) if plan.fills == "bytes" else f"{amount:,.0f} records"
