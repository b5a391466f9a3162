"""What may be said of two sides: changed, equivalent, inconclusive, insufficient. Pure.

**The unit is the run**: a server and a driver of its own; never an interval or a timing inside it.

**Paired by block** wherever the sides share blocks: Student's t on the logarithms of the ratios of
pairs. What a block did to both cancels; repeats without a partner are counted as left out and take
no part. **Unpaired** (between campaigns): whole campaigns differ as well as repeats in them, so
interval and p come from the two-level model, with the variance between campaigns; the p takes in
what machines usually do (`verdicts/campaigns.py`). Where nothing is
known of it, nothing is claimed and no interval drawn, however many repeats there are: two campaigns
of the same thing that differ by 2 % are called changed in 17 to 30 % of cases by what their repeats
alone say, and the "95 %" interval holds the truth in 77 to 34 %.

**Drawn and decided are two things.** Drawn is the 95 % interval. *Changed* says more, and needs
all of: the drawn interval excludes 0; the difference exceeds the practical threshold (the larger of
what was asked and what the machine can tell); its p is at most 0.9 %; and, over all differences of
one table, Holm's adjustment of that p is at most 5 %. *Equivalent*: the drawn interval lies inside
± the threshold. Else *inconclusive*. Below five pairs (or five a side): *insufficient*. Below four
there is no interval at all, but a range.

A noise floor of this machine and cell, where there is one, lends its variance to the p.

Figures that were looked at while they grew (sequential repetitions, added repeats) are judged by
p-values and intervals that hold at every look: `looked_at=True`.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import special

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.families import holm
from weighhouse_judging.arithmetic.intervals import (
    CONFIDENCE,
    FEWEST_FOR_AN_INTERVAL,
    Between,
    Floats,
    LogDifference,
    paired,
)
from weighhouse_judging.verdicts.campaigns import as_decided
from weighhouse_judging.verdicts.metrics import Metric
from weighhouse_judging.verdicts.noise import Floor, against_base

Verdict = Literal["changed", "equivalent", "inconclusive", "insufficient"]
Method = Literal["paired", "unpaired", "two_level"]
DecidedBy = Literal[
    "level", "family", "noise_floor", "threshold", "interval", "repeats", "campaigns"
]
"""What settled a verdict, or what kept a difference from being called changed."""

Repeats = Mapping[Any, float]
"""One figure a repeat, in the metric's unit, by the block it was measured in. A block's key is the
same for both sides and another in another campaign."""

REPEATS_FOR_A_CLAIM = 5
"""Pairs, or repeats a side, before anything is claimed."""

LEVEL = 0.009
"""Largest p of a difference that is called changed, looked at alone: with room for what a t-test
adds on real noise, less than one false "changed" in a hundred equal sides."""

FAMILY_LEVEL = 0.05
"""Chance of any false "changed" among all differences of one table."""

MOST_REPEATS_NEEDED = 1000
"""An estimate of more repeats than this is given as this: the sides will hardly be told apart."""


@dataclass(frozen=True)
class Judgement:
    """One difference: figures, uncertainty, verdict. Relative figures: 0.05 = 5 %."""

    metric: str
    method: Method
    baseline_median: float
    median: float
    """Of the repeats that took part."""
    relative: float
    low: float | None
    high: float | None
    """The drawn 95 % interval; None below four repeats."""
    range_low: float
    range_high: float
    """From the least to the greatest ratio there was, of pairs or of any two repeats."""
    baseline_repeats: int
    repeats: int
    """That took part; for pairs both are their number."""
    left_out: int
    """Repeats without a partner in their block."""
    p_value: float | None
    """Two-sided; None where there is no interval."""
    p_family: float | None
    """The same after Holm's adjustment over the table; None before `with_family`."""
    verdict: Verdict
    decided_by: DecidedBy
    better: bool | None
    """Is the other side better; None unless it changed."""
    significance: float
    """How many practical thresholds the difference exceeds beyond doubt (by the nearer end of the
    drawn interval); 0 when the interval holds 0 or there is none. Missing data never raise it."""
    threshold: float
    """The practical threshold in force: the larger of asked and floor."""
    asked_threshold: float
    floor: float | None
    """What this machine can tell apart with so many repeats; None when never measured."""
    looked_at: bool
    repeats_needed: int | None
    """Further repeats a side that would about settle it; None when nothing is missing."""


def judge(
    metric: Metric,
    baseline: Repeats,
    other: Repeats,
    *,
    threshold: float | None = None,
    floor: Floor | None = None,
    between: Between | None = None,
    looked_at: bool = False,
) -> Judgement | None:
    """Judge `other` against `baseline`.

    `threshold` replaces the metric's own (relative); `floor` is what A/A runs said of this machine,
    cell and figure; `between` the variance between campaigns, for sides of two campaigns (default:
    the floor's). Returns None when a side is empty or holds a figure that is not above 0: no ratio
    exists. Alone, `p_family` is the p itself; a table goes through `with_family`.
    """
    if not baseline or not other or min(*baseline.values(), *other.values()) <= 0:
        return None
    asked = metric.threshold if threshold is None else threshold
    shared = [block for block in baseline if block in other]
    if shared:
        figures = _paired(baseline, other, shared, floor)
    else:
        figures = _unpaired(baseline, other, between or (floor.between if floor else None))
    return _judged(metric, figures, asked, looked_at=looked_at)


def with_family(judgements: Sequence[Judgement]) -> list[Judgement]:
    """The same judgements, corrected together; in the same order.

    A *changed* that does not withstand the look at all becomes inconclusive, by `family`.
    """
    tested = [index for index, item in enumerate(judgements) if item.p_value is not None]
    adjusted = holm([judgements[index].p_value or 0.0 for index in tested])
    corrected = list(judgements)
    for index, p_family in zip(tested, adjusted, strict=True):
        item = replace(corrected[index], p_family=p_family)
        if item.verdict == "changed":
            if p_family > FAMILY_LEVEL:
                item = replace(
                    item,
                    verdict="inconclusive",
                    decided_by="family",
                    better=None,
                    repeats_needed=_needed_for(item, FAMILY_LEVEL / len(tested)),
                )
            elif len(tested) * LEVEL > FAMILY_LEVEL and item.decided_by == "level":
                item = replace(item, decided_by="family")
        corrected[index] = item
    return corrected


@dataclass(frozen=True)
class Figures:
    """A difference as measured, before anything is said of it. Logarithms."""

    method: Method
    baseline: Floats
    other: Floats
    ratios: Floats
    left_out: int
    drawn: LogDifference | None
    """What the drawn interval and, without a floor, the p come from; None below two repeats."""
    tested: LogDifference | None
    """What the p comes from."""
    borrowed: bool
    """Does `tested` borrow a floor's variance?"""
    information: float
    """Of how many blocks' worth, in units of `looks.SHARPEST_AT`."""
    floor: float | None


def _judged(metric: Metric, figures: Figures, asked: float, *, looked_at: bool) -> Judgement:
    fewest = min(figures.baseline.size, figures.other.size)
    estimate, low, high = _drawn(figures, looked_at=looked_at)
    p_value = _p_value(figures, looked_at=looked_at) if low is not None else None
    threshold = max(asked, figures.floor or 0.0)
    relative = math.expm1(estimate)
    bounds = None if low is None or high is None else (math.expm1(low), math.expm1(high))
    verdict, decided_by = _verdict(relative, bounds, p_value, threshold, fewest, figures.borrowed)
    if figures.method == "unpaired" and fewest >= REPEATS_FOR_A_CLAIM:
        verdict, decided_by = "inconclusive", "campaigns"
    return Judgement(
        metric=metric.name,
        method=figures.method,
        baseline_median=math.exp(float(np.median(figures.baseline))),
        median=math.exp(float(np.median(figures.other))),
        relative=relative,
        low=None if bounds is None else bounds[0],
        high=None if bounds is None else bounds[1],
        range_low=math.expm1(float(figures.ratios.min())),
        range_high=math.expm1(float(figures.ratios.max())),
        baseline_repeats=figures.baseline.size,
        repeats=figures.other.size,
        left_out=figures.left_out,
        p_value=p_value,
        p_family=p_value,
        verdict=verdict,
        decided_by=decided_by,
        better=(relative > 0) == metric.higher_is_better if verdict == "changed" else None,
        significance=0.0 if bounds is None else max(0.0, bounds[0], -bounds[1]) / threshold,
        threshold=threshold,
        asked_threshold=asked,
        floor=figures.floor,
        looked_at=looked_at,
        repeats_needed=_repeats_needed(figures, relative, bounds, threshold, verdict, fewest),
    )


def _paired(
    baseline: Repeats, other: Repeats, shared: Sequence[Hashable], floor: Floor | None
) -> Figures:
    a = np.log([baseline[block] for block in shared])
    b = np.log([other[block] for block in shared])
    own = paired(b - a) if len(shared) > 1 else None
    lent = floor.lend(own, len(shared)) if own is not None and floor is not None else None
    return Figures(
        method="paired",
        baseline=a,
        other=b,
        ratios=b - a,
        left_out=len(baseline) + len(other) - 2 * len(shared),
        drawn=own,
        tested=lent or own,
        borrowed=lent is not None,
        information=len(shared) / looks.SHARPEST_AT,
        floor=None if floor is None else floor.of_pairs(len(shared)),
    )


def _unpaired(baseline: Repeats, other: Repeats, between: Between | None) -> Figures:
    a, b = np.log(list(baseline.values())), np.log(list(other.values()))
    drawn = tested = None
    if between is not None and min(a.size, b.size) > 1:
        drawn, tested = against_base([a], b, between), as_decided([a], b, between)
    return Figures(
        method="unpaired" if between is None else "two_level",
        baseline=a,
        other=b,
        ratios=b[:, None] - a[None, :],
        left_out=0,
        drawn=drawn,
        tested=tested,
        borrowed=False,
        information=2 / (1 / a.size + 1 / b.size) / looks.SHARPEST_AT,
        floor=None,
    )


def _drawn(figures: Figures, *, looked_at: bool) -> tuple[float, float | None, float | None]:
    """Estimate and, from four repeats on, the drawn interval; logarithms."""
    difference = figures.drawn
    if difference is None:
        middle = float(np.median(figures.other) - np.median(figures.baseline))
        return middle, None, None
    estimate = float(difference.estimate)
    if min(figures.baseline.size, figures.other.size) < FEWEST_FOR_AN_INTERVAL:
        return estimate, None, None
    if looked_at:
        half = float(looks.half_width_at_every_look(difference, figures.information))
        return estimate, estimate - half, estimate + half
    half = float(difference.half_width(CONFIDENCE))
    return estimate, estimate - half, estimate + half


def _p_value(figures: Figures, *, looked_at: bool) -> float | None:
    if figures.tested is None:
        return None
    p_value = figures.tested.p_two_sided()
    if looked_at:
        p_value = looks.p_at_every_look(p_value, figures.information, LEVEL)
    return float(p_value)


def _verdict(
    relative: float,
    bounds: tuple[float, float] | None,
    p_value: float | None,
    threshold: float,
    fewest: int,
    borrowed: bool,
) -> tuple[Verdict, DecidedBy]:
    if fewest < REPEATS_FOR_A_CLAIM or bounds is None or p_value is None:
        return "insufficient", "repeats"
    excludes_zero = bounds[0] > 0 or bounds[1] < 0
    exceeds = abs(relative) > threshold
    if excludes_zero and exceeds and p_value <= LEVEL:
        return "changed", "noise_floor" if borrowed else "level"
    if -threshold <= bounds[0] and bounds[1] <= threshold:
        return "equivalent", "interval"
    if not excludes_zero:
        return "inconclusive", "interval"
    return "inconclusive", "level" if exceeds else "threshold"


def _needed_for(item: Judgement, level: float) -> int:
    """Further repeats a side until the p of a difference as large as now falls to `level`."""
    now = -float(special.ndtri((item.p_value or 0.0) / 2))
    wanted = -float(special.ndtri(level / 2))
    fewest = min(item.baseline_repeats, item.repeats)
    return min(MOST_REPEATS_NEEDED, max(1, math.ceil(fewest * ((wanted / now) ** 2 - 1))))


def _repeats_needed(
    figures: Figures,
    relative: float,
    bounds: tuple[float, float] | None,
    threshold: float,
    verdict: Verdict,
    fewest: int,
) -> int | None:
    """Further repeats a side, by the interval's width shrinking with the root of their number.

    Two ends are open to an inconclusive difference: it is told from 0 at LEVEL, or it fits between
    the thresholds; the nearer counts.
    """
    if verdict == "insufficient":
        return max(REPEATS_FOR_A_CLAIM - fewest, 1)
    if verdict != "inconclusive" or bounds is None or figures.drawn is None:
        return None
    half = max(bounds[1] - relative, relative - bounds[0])
    size = abs(relative)
    if size > threshold:
        widened = float(figures.drawn.half_width(1 - LEVEL) / figures.drawn.half_width())
        factor = half * widened / size
    elif size < threshold:
        factor = half / (threshold - size)
    else:
        return MOST_REPEATS_NEEDED
    wanted = math.ceil(fewest * max(1.0, factor) ** 2)
    return min(MOST_REPEATS_NEEDED, max(1, wanted - fewest))
