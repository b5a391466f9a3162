"""The difference between two sides as measured, before anything is said of it. Pure."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
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
    """Differences in logarithms, and what there is to test them by: of one method, and of as many
    repeats each, so that hundreds cost little more than one. The first axis is the differences.
    """

    method: Method
    baseline: Floats
    other: Floats
    ratios: Floats
    left_out: Sequence[int]
    drawn: LogDifference | None
    """What is drawn; None below two repeats, or where nothing is known."""
    tested: LogDifference | None
    """What the p comes from: between campaigns, with what machines usually do."""
    lent: Sequence[LogDifference | None]
    """The same with what a noise floor knows of the machine, where there is one."""
    information: Floats
    """As a multiple of what `looks.SHARPEST_AT` blocks give."""
    of_horizon: Floats
    """The same as a share of what `looks.HORIZON` blocks give."""
    floor: Sequence[float | None]
    step: Floats | None
    """What the figures are told to; None where that is no matter."""


def by_pairs(
    sides: Sequence[tuple[Repeats, Repeats]],
    shared: Sequence[Sequence[Hashable]],
    floors: Sequence[Floor | None],
    *,
    rounded: bool = False,
) -> Figures:
    """Sides that share blocks, by the ratios of pairs.

    :param sides: (baseline, other) of each difference.
    :param shared: the blocks that the two have in common; as many of each difference.
    :param floors: what is known of their machines.
    """
    count = len(shared[0])
    both = zip(sides, shared, strict=True)
    logs = np.log([[[side[one] for one in blocks] for side in pair] for pair, blocks in both])
    a, b = np.ascontiguousarray(logs[:, 0]), np.ascontiguousarray(logs[:, 1])
    own = paired(b - a) if count > 1 else None
    step = step_of(np.exp(np.concatenate([a, b], axis=-1))) if rounded else None
    difference = _rounded(own, a, b, step)
    return Figures(
        method="paired",
        baseline=a,
        other=b,
        ratios=b - a,
        left_out=[sum(map(len, pair)) - 2 * count for pair in sides],
        drawn=difference,
        tested=difference,
        lent=[None] * len(sides) if own is None else list(_lent(own, floors, a, b, step)),
        information=np.full(len(sides), count / looks.SHARPEST_AT),
        of_horizon=np.full(len(sides), count / looks.HORIZON),
        floor=[None if floor is None else floor.of_pairs(count) for floor in floors],
        step=step,
    )


def by_campaigns(
    baseline: Repeats, other: Repeats, between: Between | None, *, rounded: bool = False
) -> Figures:
    """Sides of two campaigns, by the two-level model; no difference where `between` is unknown.
    One difference.
    """
    a, b = np.log(list(baseline.values())), np.log(list(other.values()))
    drawn = tested = None
    if between is not None and min(a.size, b.size) > 1:
        drawn, tested = two_campaigns(a, b, between), as_decided(a, b, between)
    step = step_of(np.exp(np.concatenate([a, b]))) if rounded else None
    information, of_horizon = _information(a, b, between)
    drawn, tested = (_rounded(one, a, b, step) for one in (drawn, tested))
    return Figures(
        method="unpaired" if between is None else "two_level",
        baseline=a[None],
        other=b[None],
        ratios=(b[:, None] - a[None, :]).reshape(1, -1),
        left_out=[0],
        drawn=None if drawn is None else _alone(drawn),
        tested=None if tested is None else _alone(tested),
        lent=[None],
        information=np.asarray([information]),
        of_horizon=np.asarray([of_horizon]),
        floor=[None],
        step=None if step is None else step[None],
    )


def _rounded(
    difference: LogDifference | None, a: Floats, b: Floats, step: Floats | None
) -> LogDifference | None:
    if difference is None or step is None:
        return difference
    return coarser(difference, (np.exp(a), np.exp(b)), step)


def _lent(
    own: LogDifference, floors: Sequence[Floor | None], a: Floats, b: Floats, step: Floats | None
) -> Iterator[LogDifference | None]:
    for place, (one, floor) in enumerate(zip(own.each(), floors, strict=True)):
        lent = None if floor is None else floor.lend(one, a.shape[-1])
        yield _rounded(lent, a[place], b[place], None if step is None else step[place])


def _alone(difference: LogDifference) -> LogDifference:
    """One difference as several are."""
    parts = difference.estimate, difference.error, difference.freedom
    return LogDifference(*(np.reshape(part, 1) for part in parts))


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
