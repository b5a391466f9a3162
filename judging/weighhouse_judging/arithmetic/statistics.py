"""Statistics of repeats: medians, the rank test, scatter and correlation. Pure."""

import itertools
import math
import statistics
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

FEWEST_FOR_A_SPREAD = 2
"""Values without which nothing scatters."""

EXACT_RANK_LIMIT = 50
"""Most values on a side for which the rank test's distribution is computed, without ties."""

ENUMERATION_LIMIT = 60_000
"""Most arrangements of two sides that the rank test enumerates."""

MAD_TO_SIGMA = 1.482602218505602
"""Median absolute deviation → standard deviation of a normal distribution, 1/Φ⁻¹(3/4)."""


def median(values: Sequence[float]) -> float:
    """The median of `values` (the mean of the middle two when their number is even).

    Raises ValueError when there are none.
    """
    if not values:
        message = "a median needs at least one value"
        raise ValueError(message)
    return float(statistics.median(values))


def mann_whitney(baseline: Sequence[float], other: Sequence[float]) -> float:
    """Two-sided p-value of the Mann-Whitney U test.

    Exact, ties included, while the arrangements are few enough to enumerate (up to 9 against 9);
    exact without ties up to 50 values a side; else the normal approximation with tie correction.
    Source: Mann & Whitney (1947), Annals of Mathematical Statistics 18.
    """
    a, b = np.asarray(baseline, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.size == 0 or b.size == 0:
        message = "the rank test needs values on both sides"
        raise ValueError(message)
    both = np.concatenate([a, b])
    if math.comb(both.size, a.size) <= ENUMERATION_LIMIT:
        return _enumerated_rank_test(both, int(a.size))
    tied = np.unique(both).size < both.size
    exact = not tied and max(a.size, b.size) <= EXACT_RANK_LIMIT
    method: Literal["exact", "asymptotic"] = "exact" if exact else "asymptotic"
    return float(scipy.stats.mannwhitneyu(a, b, alternative="two-sided", method=method).pvalue)


def smallest_rank_p(baseline_repeats: int, repeats: int) -> float:
    """The smallest two-sided p that a rank test can give for these numbers of repeats.

    2 / C(n + m, n): 0.1 for 3 against 3, 0.0079 for 5 against 5.
    """
    return min(1.0, 2.0 / math.comb(baseline_repeats + repeats, repeats))


def robust_sigma(values: Sequence[float]) -> float:
    """Standard deviation estimated by the median absolute deviation, in the values' unit."""
    data = np.asarray(values, dtype=np.float64)
    return float(MAD_TO_SIGMA * np.median(np.abs(data - np.median(data))))


def lag_one_autocorrelation(values: Sequence[float]) -> float:
    """Correlation of a series with itself one step later; 0 when it is short or constant."""
    data = np.asarray(values, dtype=np.float64)
    if data.size <= FEWEST_FOR_A_SPREAD:
        return 0.0
    centred = data - data.mean()
    power = float(np.dot(centred, centred))
    return float(np.dot(centred[1:], centred[:-1])) / power if power > 0 else 0.0


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Standard deviation over mean, 0.02 = 2 %; 0 with fewer than two values or a mean of 0."""
    data = np.asarray(values, dtype=np.float64)
    if data.size < FEWEST_FOR_A_SPREAD or data.mean() == 0:
        return 0.0
    return float(data.std(ddof=1) / data.mean())


def _enumerated_rank_test(both: Floats, size: int) -> float:
    """Exact two-sided p with midranks: share of arrangements at least as far from the middle."""
    ranks = scipy.stats.rankdata(both)
    arrangements = _arrangements(both.size, size)
    sums = ranks[arrangements].sum(axis=1)
    middle = ranks.sum() * size / both.size
    observed = abs(float(ranks[:size].sum()) - middle)
    return float(np.mean(np.abs(sums - middle) >= observed - 1e-9))


@lru_cache(maxsize=16)
def _arrangements(total: int, size: int) -> Indices:
    return np.array(list(itertools.combinations(range(total), size)), dtype=np.int64)
