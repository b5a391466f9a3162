"""Statistics of repeats: medians, bootstrap intervals, rank tests. Pure: no input, no output.

Everything here is deterministic: resampling is seeded, so that API, worker, command line and a
notebook give the same figure for the same repeats.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

CONFIDENCE = 0.95
"""Share of resamples inside an interval."""

RESAMPLES = 10_000
"""Bootstrap resamples of an interval."""

SEED = 20_261_120
"""Seed of the resampling; fixed, so that an interval is a function of the repeats alone."""

FEWEST_FOR_A_SPREAD = 2
"""Values without which nothing scatters."""

EXACT_RANK_LIMIT = 50
"""Most values on a side for which the rank test's distribution is computed, without ties."""

ENUMERATION_LIMIT = 60_000
"""Most arrangements of two sides that the rank test enumerates."""

MAD_TO_SIGMA = 1.482602218505602
"""Median absolute deviation → standard deviation of a normal distribution, 1/Φ⁻¹(3/4)."""


@dataclass(frozen=True)
class Bounds:
    """The two ends of an interval, low ≤ high."""

    low: float
    high: float


def median(values: Sequence[float]) -> float:
    """The median of `values` (the mean of the middle two when their number is even).

    Raises ValueError when there are none.
    """
    if not values:
        message = "a median needs at least one value"
        raise ValueError(message)
    return float(np.median(np.asarray(values, dtype=np.float64)))


def median_bounds(values: Sequence[float], *, confidence: float = CONFIDENCE) -> Bounds:
    """Percentile-bootstrap interval of the median of repeats.

    `values` are one figure a repeat, in any unit; returns bounds in the same unit. With one value
    both ends are that value. Source: Efron & Tibshirani, An Introduction to the Bootstrap (1993),
    chapter 13.
    """
    low, high = _percentile_interval(_resampled_medians(values, stream=0), confidence)
    return Bounds(low, high)


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
    return float(stats.mannwhitneyu(a, b, alternative="two-sided", method=method).pvalue)


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


def _resampled_medians(values: Sequence[float], *, stream: int) -> Floats:
    """Medians of RESAMPLES resamples of `values`; `stream` keeps two sides independent."""
    if not values:
        message = "a bootstrap needs at least one value"
        raise ValueError(message)
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    lower, upper = _middle_ranks(ordered.size, stream)
    return (ordered[lower] + ordered[upper]) / 2.0


@lru_cache(maxsize=64)
def _middle_ranks(size: int, stream: int) -> tuple[Indices, Indices]:
    """For each resample of `size` values, the ranks of its middle two members.

    A resample's median depends on the values through their order alone; drawing ranks once for
    each size makes an interval cost microseconds, and is the very same bootstrap.
    """
    generator = np.random.default_rng([SEED, size, stream])
    ranks = generator.integers(0, size, size=(RESAMPLES, size), dtype=np.int64)
    ranks.partition([(size - 1) // 2, size // 2], axis=1)
    return ranks[:, (size - 1) // 2].copy(), ranks[:, size // 2].copy()


def _percentile_interval(resampled: Floats, confidence: float) -> tuple[float, float]:
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(resampled, [tail, 1.0 - tail])
    return float(low), float(high)


def _enumerated_rank_test(both: Floats, size: int) -> float:
    """Exact two-sided p with midranks: share of arrangements at least as far from the middle."""
    ranks = stats.rankdata(both)
    arrangements = _arrangements(both.size, size)
    sums = ranks[arrangements].sum(axis=1)
    middle = ranks.sum() * size / both.size
    observed = abs(float(ranks[:size].sum()) - middle)
    return float(np.mean(np.abs(sums - middle) >= observed - 1e-9))


@lru_cache(maxsize=16)
def _arrangements(total: int, size: int) -> Indices:
    return np.array(list(itertools.combinations(range(total), size)), dtype=np.int64)
