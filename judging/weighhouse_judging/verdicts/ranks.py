"""Many sides: their ranks, as far as they can be told, and who is among the best. Pure.

A rank is drawn as an interval: a side that is beyond doubt behind two others and ahead of one of
five has rank 3 to 4. Sides that cannot be told apart share ranks; nobody is ranked by luck. No
composite score.

The intervals come from all pairwise differences, paired by block, corrected together by Holm: with
95 % confidence *all* of them hold the true rank. Source: Mohamad, van Zwet, Solari & Goeman (2021),
Journal of Statistical Planning and Inference 215; Mogstad, Romano, Shaikh & Wilhelm (2024), Review
of Economic Studies 91. The bootstrap of ranks, which is common, is not used: where sides are equal
its intervals hold the truth far too rarely (Hall & Miller 2009, Annals of Statistics 37; the bench
measures both).
"""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.families import holm
from weighhouse_judging.arithmetic.intervals import LogDifference, level, paired, unpaired
from weighhouse_judging.verdicts.sides import FAMILY_LEVEL, REPEATS_FOR_A_CLAIM, Repeats


@dataclass(frozen=True)
class Rank:
    """One side among the others."""

    side: Hashable
    median: float
    low: float | None
    high: float | None
    """The 95 % interval of its level; None below four repeats."""
    best_rank: int
    worst_rank: int
    """1 is the best; equal to the other when the rank is certain."""
    among_best: bool
    """Is no side beyond doubt better?"""
    behind: tuple[Hashable, ...]
    """The sides that are beyond doubt better."""


def rank(
    sides: Mapping[Hashable, Repeats], *, higher_is_better: bool, looked_at: bool = False
) -> tuple[Rank, ...]:
    """The sides by rank, the best first, ties by their medians.

    One figure a repeat, above 0, by block. Sides without figures are left out. Below five common
    blocks (or five a side, where none is shared) two sides are not told apart.
    """
    present = {key: values for key, values in sides.items() if values and min(values.values()) > 0}
    better = _decided(present, higher_is_better, looked_at)
    ranks = [
        _rank(key, values, [other for other in present if (other, key) in better], len(present),
              sum((key, other) in better for other in present))
        for key, values in present.items()
    ]  # fmt: skip
    sign = -1.0 if higher_is_better else 1.0
    return tuple(
        sorted(ranks, key=lambda item: (item.best_rank, item.worst_rank, sign * item.median))
    )


def _rank(
    key: Hashable, values: Repeats, ahead: Sequence[Hashable], sides: int, beaten: int
) -> Rank:
    figures = list(values.values())
    bounds = level(figures)
    return Rank(
        side=key,
        median=float(np.median(figures)),
        low=None if bounds is None else float(bounds[0]),
        high=None if bounds is None else float(bounds[1]),
        best_rank=1 + len(ahead),
        worst_rank=sides - beaten,
        among_best=not ahead,
        behind=tuple(ahead),
    )


def _decided(
    sides: Mapping[Hashable, Repeats], higher_is_better: bool, looked_at: bool
) -> set[tuple[Hashable, Hashable]]:
    """Pairs (better, worse) that hold with 95 % confidence, all together."""
    pairs = list(itertools.combinations(sides, 2))
    found = [_difference(sides[a], sides[b]) for a, b in pairs]
    tested = [index for index, item in enumerate(found) if item is not None]
    p_values, signs = [], []
    for index in tested:
        item = found[index]
        assert item is not None  # noqa: S101 - chosen above
        difference, information = item
        once = difference.p_two_sided()
        at_all = looks.p_at_every_look(once, information, FAMILY_LEVEL)
        p_values.append(float(at_all if looked_at else once))
        signs.append(float(difference.estimate) > 0)
    decided = set()
    for index, p_value, second_larger in zip(tested, holm(p_values), signs, strict=True):
        if p_value <= FAMILY_LEVEL:
            first, second = pairs[index]
            ahead = second_larger == higher_is_better
            decided.add((second, first) if ahead else (first, second))
    return decided


def _difference(first: Repeats, second: Repeats) -> tuple[LogDifference, float] | None:
    shared = [block for block in first if block in second]
    if shared:
        if len(shared) < REPEATS_FOR_A_CLAIM:
            return None
        ratios = np.log([second[block] / first[block] for block in shared])
        return paired(ratios), len(shared) / looks.SHARPEST_AT
    if min(len(first), len(second)) < REPEATS_FOR_A_CLAIM:
        return None
    a, b = np.log(list(first.values())), np.log(list(second.values()))
    return unpaired(a, b), 2 / (1 / a.size + 1 / b.size) / looks.SHARPEST_AT
