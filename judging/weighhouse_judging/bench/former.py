"""The rule that watched series before this one: E-divisive, then ranks. Pure.

Kept so that the bench can hold the rule that ships against it.

**Candidates.** E-divisive splits a series where the energy distance between the two parts is
largest, and splits the parts again. Source: Matteson & James (2014), A Nonparametric Approach for
Multiple Change Point Analysis of Multivariate Data, JASA 109(505). Whether a split is significant
is asked of Student's t-test instead of the paper's permutation test, as Fleming et al. propose for
benchmarks: Hunter: Using Change Point Detection to Hunt for Performance Regressions (ICPE 2023).

**Confirmation.** The split was chosen because it looks best, so its p-value flatters it. A
candidate is confirmed only with at least 4 points after and 8 before, Mann-Whitney p < 0.005, and
the medians apart by at least 3 % and one robust standard deviation; where neighbouring points are
correlated above 0.3, by the strict profile alone.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from weighhouse_judging.arithmetic import statistics

Floats = npt.NDArray[np.float64]

AUTOCORRELATION_LIMIT = 0.3
"""Correlation of neighbouring points above which points are no independent evidence."""

FEWEST_POINTS_OF_A_PART = 3
"""Points on each side of a candidate."""


@dataclass(frozen=True)
class Profile:
    """How much evidence a change point needs."""

    name: Literal["watch", "strict"]
    candidate_p: float
    confirmed_p: float
    points_after: int = 4
    points_before: int = 8
    smallest_shift: float = 0.03
    """Smallest relative shift of the medians."""


WATCH = Profile("watch", candidate_p=1.5e-3, confirmed_p=5e-3)
"""What is drawn as confirmed."""

STRICT = Profile("strict", candidate_p=1e-5, confirmed_p=1e-3)
"""What notifies and gates."""


@dataclass(frozen=True)
class Shift:
    """A change point: the first point of the new level, and the levels around it."""

    index: int
    before: float
    after: float
    relative: float
    p_value: float
    """Two-sided rank test between the parts left and right of it."""
    status: Literal["candidate", "confirmed"]
    profile: Literal["watch", "strict"] | None
    """The strictest profile that confirms it."""
    autocorrelation: float


def find_shifts(values: Sequence[float]) -> list[Shift]:
    """All change points of one segment, oldest first.

    `values` is one figure a campaign (the median of its repeats), oldest first, without gaps or
    NaN. With neighbouring points correlated above AUTOCORRELATION_LIMIT only the strict profile
    confirms. Promises: deterministic; the same values give the same points.
    """
    data = np.asarray(values, dtype=np.float64)
    splits = _candidates(data, WATCH.candidate_p)
    edges = [0, *splits, data.size]
    correlation = _correlation_within(data, edges)
    profiles = (STRICT,) if correlation > AUTOCORRELATION_LIMIT else (STRICT, WATCH)
    found = []
    for position, index in enumerate(splits, start=1):
        before, after = data[edges[position - 1] : index], data[index : edges[position + 1]]
        found.append(_shift(index, before, after, profiles, correlation))
    return found


def best_split(values: Sequence[float]) -> int | None:
    """Where the energy distance between the two parts is largest; None for too few points."""
    data = np.asarray(values, dtype=np.float64)
    return _best_split(data)


def _candidates(data: Floats, largest_p: float) -> list[int]:
    found: list[int] = []
    pending = [(0, int(data.size))]
    while pending:
        start, end = pending.pop()
        split = _best_split(data[start:end])
        if split is None:
            continue
        if _difference_p(data[start : start + split], data[start + split : end]) < largest_p:
            found.append(start + split)
            pending += [(start, start + split), (start + split, end)]
    return sorted(found)


def _best_split(data: Floats) -> int | None:
    size = int(data.size)
    least = FEWEST_POINTS_OF_A_PART
    if size < 2 * least:
        return None
    distances = np.abs(data[:, None] - data[None, :])
    upper = np.triu(distances)
    within_left = np.concatenate([[0.0], upper.sum(axis=0).cumsum()])
    within_right = np.concatenate([upper.sum(axis=1)[::-1].cumsum()[::-1], [0.0]])
    left = np.arange(least, size - least + 1)
    right = size - left
    between = within_left[size] - within_left[left] - within_right[left]
    energy = (
        2.0 * between / (left * right)
        - within_left[left] / (left * (left - 1) / 2.0)
        - within_right[left] / (right * (right - 1) / 2.0)
    )
    return int(left[np.argmax(left * right / size * energy)])


def _difference_p(left: Floats, right: Floats) -> float:
    if float(left.std()) == 0.0 and float(right.std()) == 0.0:
        return 1.0 if float(left[0]) == float(right[0]) else 0.0
    freedom = left.size + right.size - 2
    pooled = (left.var() * left.size + right.var() * right.size) / freedom
    error = float(np.sqrt(pooled * (1 / left.size + 1 / right.size)))
    return float(2 * stats.t.sf(abs(float(left.mean() - right.mean())) / error, freedom))


def _correlation_within(data: Floats, edges: Sequence[int]) -> float:
    """Lag-one autocorrelation of what is left once each part's median is taken away.

    Without that, a shift itself would read as correlation.
    """
    if not data.size:
        return 0.0
    rest = np.concatenate(
        [data[start:end] - np.median(data[start:end]) for start, end in itertools.pairwise(edges)]
    )
    return statistics.lag_one_autocorrelation(rest.tolist())


def _shift(
    index: int, before: Floats, after: Floats, profiles: Sequence[Profile], correlation: float
) -> Shift:
    level, new_level = float(np.median(before)), float(np.median(after))
    relative = (new_level - level) / level if level else 0.0
    p_value = statistics.mann_whitney(before.tolist(), after.tolist())
    t_value = _difference_p(before, after)
    spread = statistics.robust_sigma(np.concatenate([before - level, after - new_level]).tolist())
    matters = abs(new_level - level) >= spread
    confirming = next(
        (
            profile
            for profile in profiles
            if matters
            and before.size >= profile.points_before
            and after.size >= profile.points_after
            and t_value < profile.candidate_p
            and p_value < profile.confirmed_p
            and abs(relative) >= profile.smallest_shift
        ),
        None,
    )
    return Shift(
        index=index,
        before=level,
        after=new_level,
        relative=relative,
        p_value=p_value,
        status="candidate" if confirming is None else "confirmed",
        profile=None if confirming is None else confirming.name,
        autocorrelation=correlation,
    )
