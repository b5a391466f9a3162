"""Courses of few operations: counts of an interval that are small whole numbers. Pure.

Half an operation a second is 0, 1, 0, 1 by the second, and as regular as a rate can be; thirty a
second are 22 or 41 by chance. So intervals of few are taken together, and the counts held against
those of a Poisson process, in which operations come at an even rate and know nothing of each other.
What scatters no more than that has one rate; how well it is known hangs on how many operations
there were.

Source: the dispersion test of Poisson counts, Fisher, Statistical Methods for Research Workers
(1925), section 16. How often it is wrong: `weighhouse_judging.bench.steadiness`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

DENSE = 20.0
"""Mean operations of an interval from which on their number is as good as a measure."""
TOGETHER = 5
"""Operations that are taken together, if enough groups are left."""
FEWEST_OPERATIONS = 10
CLUMPED, REGULAR = 1e-3, 1e-2
"""Chance of counts that scatter so widely, or so little, in a Poisson process."""


@dataclass(frozen=True)
class Sparse:
    """A course of few operations, taken together."""

    begins: tuple[int, ...]
    """Where each group begins, in intervals."""
    rates: tuple[float, ...]
    """Operations an interval in each group."""
    operations: int
    even: bool
    """Whether they scatter no more than at an even rate."""
    error: float
    """Standard error of the rate, as a share of it: of Poisson counts, of counts that scatter
    less, or, of regular ones, of one operation more or less. Infinite for none.
    """


def by_chance(operations: Sequence[int]) -> float | None:
    """Of intervals that are full enough as they are: do their numbers scatter no more than those of
    operations that come by chance?

    :returns: standard error of the rate, as a share of it; None when they do scatter more.
    """
    counts = np.asarray(operations, dtype=np.float64)
    if counts.size < FEWEST_OPERATIONS or counts.mean() < DENSE:
        return None
    even, error = _even(counts, np.full(counts.size, counts.mean()))
    return error if even else None


def sparse(operations: Sequence[int], fewest_groups: int) -> Sparse | None:
    """The course in groups; None when the intervals are full enough as they are.

    :param operations: of each interval, all of one length.
    :param fewest_groups: made even if fewer operations are in each.
    """
    counts = np.asarray(operations, dtype=np.float64)
    if counts.size < fewest_groups or counts.mean() >= DENSE:
        return None
    total = int(counts.sum())
    groups = min(counts.size, max(fewest_groups, total // TOGETHER))
    begins = np.linspace(0, counts.size, groups, endpoint=False).astype(np.int64)
    lengths = np.diff([*begins, counts.size]).astype(np.float64)
    found: npt.NDArray[np.float64] = np.add.reduceat(counts, begins)
    if total < FEWEST_OPERATIONS:
        even, error = True, math.inf
    else:
        even, error = _even(found, lengths * total / counts.size)
    return Sparse(tuple(begins.tolist()), tuple((found / lengths).tolist()), total, even, error)


def _even(counts: npt.NDArray[np.float64], expected: npt.NDArray[np.float64]) -> tuple[bool, float]:
    """Whether counts scatter no more than at an even rate, and the rate's error."""
    total, freedom = float(counts.sum()), counts.size - 1
    scatter = float(((counts - expected) ** 2 / expected).sum())
    even = float(scipy.stats.chi2.sf(scatter, freedom)) >= CLUMPED
    regular = float(scipy.stats.chi2.cdf(scatter, freedom)) < REGULAR
    return even, 1.0 / total if regular else math.sqrt(scatter / freedom / total)
