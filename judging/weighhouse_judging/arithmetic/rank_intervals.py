"""The shift of one side against another by ranks, whatever shape their noise has. Pure."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.intervals import CONFIDENCE, Floats

MOST_EXACT_PAIRS = 20_000
"""Most pairs of values across two sides for which the rank distribution is exact."""


def rank_interval(
    baseline: npt.ArrayLike, other: npt.ArrayLike, confidence: float = CONFIDENCE
) -> tuple[Floats, Floats, Floats] | None:
    """Shift of `other` against `baseline` by inverting the exact Mann-Whitney test.

    Takes logarithms, one or many trials; returns (estimate, low, high) in logarithms: the
    Hodges-Lehmann estimate, and the closed interval between two ordered differences of pairs. None
    when no order statistic reaches the confidence (3 against 3 give at most 90 %). Ties: closed
    ends make the interval cover *at least* as often as without (Lehmann, Nonparametrics, 1975,
    section 2.4), so rounding can widen a claim and never sharpen it. Source: Hodges & Lehmann
    (1963), Annals of Mathematical Statistics 34; Bauer (1972), JASA 67.
    """
    a, b = np.asarray(baseline, dtype=np.float64), np.asarray(other, dtype=np.float64)
    left_out = _left_out(a.shape[-1], b.shape[-1], round((1 - confidence) / 2, 12))
    if left_out is None:
        return None
    differences = b[..., :, None] - a[..., None, :]
    ordered = np.sort(differences.reshape(*differences.shape[:-2], -1), axis=-1)
    return np.median(ordered, axis=-1), ordered[..., left_out], ordered[..., -1 - left_out]


@lru_cache(maxsize=256)
def rank_distribution(first: int, second: int) -> Floats:
    """Probabilities of Mann-Whitney's U = 0 … first × second when sides are equal, no ties.

    The recursion of Mann & Whitney (1947), equation 5. (scipy computes the same inside
    `mannwhitneyu`, and offers p-values alone.)
    """
    if min(first, second) == 0:
        return np.ones(1)
    row = [np.ones(1)] * (second + 1)
    for i in range(1, first + 1):
        fresh = [np.ones(1)]
        for j in range(1, second + 1):
            u = np.zeros(i * j + 1)
            u[j:] += row[j] * (i / (i + j))
            u[: fresh[j - 1].size] += fresh[j - 1] * (j / (i + j))
            fresh.append(u)
        row = fresh
    return row[second]


@lru_cache(maxsize=1024)
def _left_out(first: int, second: int, tail: float) -> int | None:
    """How many ordered differences lie outside each end of the interval; None if that is < 0."""
    if first * second <= MOST_EXACT_PAIRS:
        within = np.cumsum(rank_distribution(min(first, second), max(first, second))) <= tail
        return int(within.sum()) - 1 if within[0] else None
    scale = math.sqrt(first * second * (first + second + 1) / 12)
    return int(first * second / 2 + float(special.ndtri(tail)) * scale - 0.5)
