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
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weighhouse_judging.arithmetic import looks
from weighhouse_judging.arithmetic.families import holm
from weighhouse_judging.arithmetic.intervals import (
    Between,
    LogDifference,
    paired,
)
from weighhouse_judging.arithmetic.statistics import median
from weighhouse_judging.verdicts.campaigns import as_decided
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.sides import FAMILY_LEVEL, REPEATS_FOR_A_CLAIM

Pair = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Rank:
    """One side among the others."""

    side: Hashable
    median: float
    best_rank: int
    worst_rank: int
    """1 is the best; equal to the other when the rank is certain."""
    among_best: bool
    """Is no side beyond doubt better?"""
    behind: tuple[Hashable, ...]
    """The sides that are beyond doubt better."""


def rank(
    sides: Mapping[Any, Repeats],
    *,
    higher_is_better: bool,
    looked_at: bool = False,
    between: Between | None = None,
) -> tuple[Rank, ...]:
    """The sides by rank, the best first, ties by their medians.

    One figure a repeat, above 0, by block. Sides without figures are left out. Below five common
    blocks (or five a side, where none is shared) two sides are not told apart; nor are those that
    share none, unless it is known how much campaigns differ.

    :param between: how much they do.
    """
    present = {key: values for key, values in sides.items() if values and min(values.values()) > 0}
    better = _decided(present, higher_is_better, looked_at, between)
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
    return Rank(
        side=key,
        median=median(list(values.values())),
        best_rank=1 + len(ahead),
        worst_rank=sides - beaten,
        among_best=not ahead,
        behind=tuple(ahead),
    )


def _decided(
    sides: Mapping[Hashable, Repeats],
    higher_is_better: bool,
    looked_at: bool,
    between: Between | None,
) -> set[tuple[Hashable, Hashable]]:
    """Pairs (better, worse) that hold with 95 % confidence, all together."""
    tested: list[Pair] = []
    p_values: list[float] = []
    second_larger: list[bool] = []
    for pairs, difference, information in _differences(sides, between):
        p = difference.p_two_sided()
        p = looks.p_at_every_look(p, information, FAMILY_LEVEL) if looked_at else p
        tested += pairs
        p_values += np.atleast_1d(p).tolist()
        second_larger += np.atleast_1d(difference.estimate > 0).tolist()
    return {
        (second, first) if larger == higher_is_better else (first, second)
        for (first, second), p, larger in zip(tested, holm(p_values), second_larger, strict=True)
        if p <= FAMILY_LEVEL
    }


def _differences(
    sides: Mapping[Hashable, Repeats], between: Between | None
) -> Iterator[tuple[Sequence[Pair], LogDifference, float]]:
    """Pairs of sides that can be told apart at all, those with as many repeats at once, so that
    hundreds of pairs cost no more than a few.
    """
    alike: dict[tuple[bool, int, int], list[tuple[Pair, list[float], list[float]]]] = {}
    logs = {key: _logs(repeats) for key, repeats in sides.items()}
    blocks = {key: list(repeats) for key, repeats in sides.items()}
    figures = {key: list(of_side.values()) for key, of_side in logs.items()}
    for pair in itertools.combinations(sides, 2):
        first, second = pair
        if blocks[first] == blocks[second]:  # as of most
            shared, a, b = blocks[first], figures[first], figures[second]
        else:
            shared = [block for block in blocks[first] if block in logs[second]]
            a = [logs[first][block] for block in shared or blocks[first]]
            b = [logs[second][block] for block in shared or blocks[second]]
        if min(len(a), len(b)) >= REPEATS_FOR_A_CLAIM:
            alike.setdefault((bool(shared), len(a), len(b)), []).append((pair, a, b))
    for (in_blocks, size, other), found in alike.items():
        pairs = [pair for pair, _, _ in found]
        firsts, seconds = (np.asarray([one[place] for one in found]) for place in (1, 2))
        if in_blocks:
            yield pairs, paired(seconds - firsts), size / looks.SHARPEST_AT
        elif between is not None:
            information = 2 / (1 / size + 1 / other) / looks.SHARPEST_AT
            for pair, one, another in zip(pairs, firsts, seconds, strict=True):
                yield [pair], as_decided(one, another, between), information


def _logs(repeats: Repeats) -> dict[Hashable, float]:
    """Logarithms by block."""
    return dict(zip(repeats, np.log(list(repeats.values())).tolist(), strict=True))
