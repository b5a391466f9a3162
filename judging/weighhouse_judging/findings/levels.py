"""Where a course changes its level. Pure.

The line is divided where that lowers the squares within by more than the long-run variance of an
AR(1) process, whose correlation is estimated in a way that changes of level do not touch.

Sources: optimal partitioning by dynamic programming: Jackson et al., An Algorithm for Optimal
Partitioning of Data on an Interval, IEEE Signal Processing Letters 12(2), 2005. Correlation in the
presence of changes: Chakar, Lebarbier, Lévy-Leduc, Robin, A Robust Approach for Estimating
Change-Points in the Mean of an AR(1) Process, Bernoulli 23(2), 2017. Slope: Sen, JASA 63, 1968.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy

from weighhouse_judging.arithmetic import statistics

Floats = npt.NDArray[np.float64]

PENALTY = 12.0
"""What one more segment has to gain, in long-run variances and for each logarithm of the length;
chosen by the bench."""
SHORTEST_SHARE, SHORTEST = 12, 3
"""A segment is at least a twelfth of the course, and three points."""
LARGEST_CORRELATION = 0.8
TRIMMED, FEWEST_TRIMMED = 0.1, 8
"""Share of the differences left out where the correlation is estimated, and the fewest of them: two
changes of level touch four, at lag two."""
CLIPPED_AT = 3.0
"""Single intervals further out than so many deviations from their neighbours are pulled in: a
checkpoint is no change of level."""
NEIGHBOURHOOD, LONG_NEIGHBOURHOOD, LONG = 5, 7, 60
"""Intervals that are a point's neighbours, itself among them; in a course of sixty and more, some
come to stand close together by chance.
"""
SLOPE_DEVIATIONS = 5.0
WIDE = 0.10
"""Standard error of the mean of log throughput past which a course is not one thing, whatever its
shape: its figure is known to a fifth only.
"""
FAR_APART = 5.0
"""Levels that differ by so many deviations within them are two, whatever the correlation."""


@dataclass(frozen=True)
class Levels:
    """Where a line changes its level, and what its levels are, as logarithms."""

    begins: tuple[int, ...]
    means: tuple[float, ...]
    correlation: float
    error: float
    """Standard error of the mean, as an AR(1) with this correlation has it."""
    slope: float
    """Change from end to end by the Theil-Sen slope where it is significant, else 0."""


def levels_of(line: Floats, width: int, matters: float) -> Levels:
    """Divide a line into its levels.

    :param line: logarithms, one for each interval.
    :param width: intervals that are taken together; the levels begin at points of such.
    :param matters: the relative difference below which two levels are one.
    """
    calm = grouped(_calmed(line), width)
    correlation = _correlation(calm)
    long_run = _long_run_variance(calm, correlation)
    shortest = max(SHORTEST, math.ceil(calm.size / SHORTEST_SHARE))
    error = math.sqrt(long_run / calm.size)
    begins = _merged(calm, _partition(calm, long_run, shortest), math.log1p(matters))
    if len(begins) == 1:
        # A short course tells little of its correlation; levels this far apart need none. And what
        # wanders this widely is divided whether it has levels or not: it is not one thing.
        independent = _long_run_variance(calm, 0.0)
        found = _merged(calm, _partition(calm, independent, shortest), math.log1p(matters))
        begins = found if _far_apart(calm, found) or error > WIDE else begins
    means = _means(calm, begins)
    slope = float(scipy.stats.theilslopes(calm).slope)
    deviation = math.sqrt(12.0 * long_run / calm.size**3)
    total = slope * (calm.size - 1)
    clear = abs(slope) > SLOPE_DEVIATIONS * deviation and abs(total) > math.log1p(matters)
    return Levels(begins, means, correlation, error, total if clear else 0.0)


def _calmed(line: Floats) -> Floats:
    """The line with single points pulled in to their neighbours."""
    size = LONG_NEIGHBOURHOOD if line.size >= LONG else NEIGHBOURHOOD
    middle = scipy.ndimage.median_filter(line, size=size, mode="mirror")
    away = CLIPPED_AT * _deviation(np.diff(line)) / math.sqrt(2.0)
    return np.asarray(middle + np.clip(line - middle, -away, away), dtype=np.float64)


def _deviation(differences: Floats) -> float:
    """Standard deviation about 0, by the median."""
    return statistics.MAD_TO_SIGMA * float(np.median(np.abs(differences)))


def _correlation(line: Floats) -> float:
    """Of neighbours, from differences at lag one and two, whose ratio is 1 + ρ in an AR(1)."""
    one, two = _spread(line[1:] - line[:-1]), _spread(line[2:] - line[:-2])
    if one == 0.0:
        return 0.0
    return min(LARGEST_CORRELATION, max(0.0, two / one - 1.0))


def _spread(differences: Floats) -> float:
    """Mean square without the largest, which a few changes of level would be among."""
    squares = np.sort(differences**2)
    left_out = min(squares.size // 2, max(FEWEST_TRIMMED, int(TRIMMED * squares.size)))
    return float(squares[: squares.size - left_out].mean())


def _long_run_variance(line: Floats, correlation: float) -> float:
    """Variance of the mean times the length, of an AR(1) with this correlation."""
    variance = _deviation(np.diff(line)) ** 2 / (2.0 * (1.0 - correlation))
    return max(variance * (1.0 + correlation) / (1.0 - correlation), 1e-12)


def _partition(line: Floats, variance: float, shortest: int) -> tuple[int, ...]:
    """Begins of the segments with the least cost: squares within, and a penalty for each."""
    size = line.size
    sums = np.concatenate([[0.0], np.cumsum(line)])
    squares = np.concatenate([[0.0], np.cumsum(line**2)])
    penalty = PENALTY * math.log(size) * variance
    best = np.full(size + 1, np.inf)
    best[0] = -penalty
    before = np.zeros(size + 1, dtype=np.int64)
    for end in range(shortest, size + 1):
        begins = np.arange(0, end - shortest + 1)
        lengths = end - begins
        within = squares[end] - squares[begins] - (sums[end] - sums[begins]) ** 2 / lengths
        costs = best[begins] + within + penalty
        before[end] = int(np.argmin(costs))
        best[end] = float(costs[before[end]])
    found = [size]
    while found[-1] > 0:
        found.append(int(before[found[-1]]))
    return tuple(reversed(found[1:]))


def _merged(line: Floats, begins: tuple[int, ...], matters: float) -> tuple[int, ...]:
    """Without the changes that are too small to matter, the smallest given up first."""
    left = list(begins)
    while len(left) > 1:
        means = _means(line, left)
        steps = [abs(b - a) for a, b in pairwise(means)]
        smallest = int(np.argmin(steps))
        if steps[smallest] >= matters:
            break
        del left[smallest + 1]
    return tuple(left)


def _means(line: Floats, begins: Sequence[int]) -> tuple[float, ...]:
    ends = (*begins[1:], line.size)
    return tuple(float(line[a:b].mean()) for a, b in zip(begins, ends, strict=True))


def _far_apart(line: Floats, begins: Sequence[int]) -> bool:
    """Whether all neighbouring levels differ by many of the deviations within them."""
    means = np.asarray(_means(line, begins))
    lengths = np.diff([*begins, line.size])
    within = line - np.repeat(means, lengths)
    deviation = math.sqrt(float((within**2).sum()) / max(1, line.size - means.size))
    return bool((np.abs(np.diff(means)) >= FAR_APART * deviation).all())


def grouped(values: Floats, width: int) -> Floats:
    """Means of `width` neighbours each, the last group maybe of fewer."""
    if width == 1:
        return values
    begins = np.arange(0, values.size, width)
    lengths = np.minimum(begins + width, values.size) - begins
    return np.asarray(np.add.reduceat(values, begins) / lengths, dtype=np.float64)
