"""The difference between two sides as measured, before anything is said of it. Pure."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.intervals import (
    RESOLUTION,
    Between,
    Floats,
    LogDifference,
    paired,
    two_campaigns,
)
from weighhouse_judging.arithmetic.rounding import coarser, step_of
from weighhouse_judging.verdicts.campaigns import as_decided
from weighhouse_judging.verdicts.noise import Floor, within_campaigns

Method = Literal["paired", "unpaired", "two_level"]

Repeats = Mapping[Any, float]
"""One figure a repeat, in the metric's unit, by the block it was measured in. A block's key is the
same for both sides and another in another campaign."""


@dataclass(frozen=True)
class Figures:
    """A difference in logarithms, and what there is to test it by."""

    method: Method
    baseline: Floats
    other: Floats
    ratios: Floats
    left_out: int
    drawn: LogDifference | None
    """What is drawn; None below two repeats, or where nothing is known."""
    tested: LogDifference | None
    """What the p comes from: between campaigns, with what machines usually do."""
    lent: LogDifference | None
    """The same with what a noise floor knows of the machine."""
    information: float
    """As a multiple of what `looks.SHARPEST_AT` blocks give."""
    of_horizon: float
    """The same as a share of what `looks.HORIZON` blocks give."""
    floor: float | None
    step: float | None
    """What the figures are told to; None where that is no matter."""


def by_pairs(
    baseline: Repeats,
    other: Repeats,
    shared: Sequence[Hashable],
    floor: Floor | None,
    *,
    rounded: bool = False,
) -> Figures:
    """Sides that share blocks, by the ratios of pairs."""
    a = np.log([baseline[block] for block in shared])
    b = np.log([other[block] for block in shared])
    own = paired(b - a) if len(shared) > 1 else None
    lent = floor.lend(own, len(shared)) if own is not None and floor is not None else None
    step = float(step_of(np.exp(np.concatenate([a, b])))) if rounded else None
    return Figures(
        method="paired",
        baseline=a,
        other=b,
        ratios=b - a,
        left_out=len(baseline) + len(other) - 2 * len(shared),
        drawn=_rounded(own, a, b, step),
        tested=_rounded(own, a, b, step),
        lent=_rounded(lent, a, b, step),
        information=len(shared) / looks.SHARPEST_AT,
        of_horizon=len(shared) / looks.HORIZON,
        floor=None if floor is None else floor.of_pairs(len(shared)),
        step=step,
    )


def by_campaigns(
    baseline: Repeats, other: Repeats, between: Between | None, *, rounded: bool = False
) -> Figures:
    """Sides of two campaigns, by the two-level model; no difference where `between` is unknown."""
    a, b = np.log(list(baseline.values())), np.log(list(other.values()))
    drawn = tested = None
    if between is not None and min(a.size, b.size) > 1:
        drawn, tested = two_campaigns(a, b, between), as_decided(a, b, between)
    step = float(step_of(np.exp(np.concatenate([a, b])))) if rounded else None
    information, of_horizon = _information(a, b, between)
    return Figures(
        method="unpaired" if between is None else "two_level",
        baseline=a,
        other=b,
        ratios=b[:, None] - a[None, :],
        left_out=0,
        drawn=_rounded(drawn, a, b, step),
        tested=_rounded(tested, a, b, step),
        lent=None,
        information=information,
        of_horizon=of_horizon,
        floor=None,
        step=step,
    )


def _rounded(
    difference: LogDifference | None, a: Floats, b: Floats, step: float | None
) -> LogDifference | None:
    if difference is None or step is None:
        return difference
    return coarser(difference, (np.exp(a), np.exp(b)), step)


def _information(a: Floats, b: Floats, between: Between | None) -> tuple[float, float]:
    """Gathered so far, as a multiple of what SHARPEST_AT and HORIZON repeats a side would give.

    What campaigns differ by is in every figure from the first repeat on: where it is most of the
    error, nearly all there is to know is known at once. Source: Jennison & Turnbull (2000), Group
    Sequential Methods, chapter 3: information is one over the variance, whatever that consists of.
    """
    within = within_campaigns([a, b])
    whole = 0.0
    if between is not None:
        known = between.within or within
        whole = 2 * max(float(between.variance - between.share * known.variance), 0.0)
    inside = max(float(within.variance), RESOLUTION**2)
    now = whole + inside * (1 / a.size + 1 / b.size)
    sharpest, horizon = (whole + inside * 2 / size for size in (looks.SHARPEST_AT, looks.HORIZON))
    return sharpest / now, horizon / now
