"""Was the measured phase one thing, or several? Its course as classes and segments. Pure.

The throughput of the intervals, and the p99 where the intervals are full enough, are divided where
their level changes; neighbours that differ by less than would matter are one. How many segments are
left, and which way they go, is the class. Intervals next to each other are alike (a compaction
lasts, a cache fills slowly), so what counts as a change is measured against the long-run variance
of an AR(1) process, whose correlation is estimated in a way that changes of level do not touch.

Sources: optimal partitioning by dynamic programming: Jackson et al., An Algorithm for Optimal
Partitioning of Data on an Interval, IEEE Signal Processing Letters 12(2), 2005. Correlation in the
presence of changes: Chakar, Lebarbier, Lévy-Leduc, Robin, A Robust Approach for Estimating
Change-Points in the Mean of an AR(1) Process, Bernoulli 23(2), 2017. Slope: Sen, JASA 63, 1968.
How often it is wrong: `weighhouse_judging.bench.steadiness`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy

from weighhouse_judging.arithmetic import statistics

Floats = npt.NDArray[np.float64]
SteadyClass = Literal[
    "flat", "warming_up", "slowing_down", "unsteady", "overloaded", "not_assessable"
]

FEWEST_INTERVALS = 10
"""Intervals below which nothing is said of a course."""
MOST_POINTS = 200
"""More intervals than these are taken together: a course is read by its tenths, not its seconds."""
THROUGHPUT_CHANGE, P99_CHANGE = 0.05, 0.20
"""Relative differences of level that matter."""
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
FLOOR = 0.01
"""A standstill is taken as this share of the median: its logarithm would be infinite."""
OPERATIONS_FOR_P99 = 1000
"""Operations in most intervals from which on ten lie beyond the interval's p99."""
BACKLOG_GROWTH = 0.005
"""Growth of the wait before sending, as a share of the time that passed: so much more is due than
is done."""


@dataclass(frozen=True)
class Course:
    """What was recorded of the intervals of the measured phase, in order; lists of one length."""

    throughputs: Sequence[float]
    """Successes a second."""
    p99s_us: Sequence[float | None] = ()
    """p99 of each interval; none: not looked at."""
    operations: Sequence[int] = ()
    """Successes of each interval."""
    waits_us: Sequence[float | None] = ()
    """Open loop: mean response less mean service time, how long an operation was due before it was
    sent."""
    seconds: float = 0.0
    """Length of the measured phase."""


@dataclass(frozen=True)
class Segment:
    """A stretch of one level: intervals `begin` up to, not with, `end`."""

    begin: int
    end: int
    throughput: float
    """Mean of the intervals."""
    p99_us: float | None
    """Median of the intervals' p99; none where they were not looked at."""


@dataclass(frozen=True)
class Steadiness:
    """The class of a course, and the segments it was read from."""

    kind: SteadyClass
    segments: tuple[Segment, ...]
    throughput_change: float
    """Last segment against the first, -0.5 = half as much; of a slope from end to end."""
    p99_change: float | None
    lowest_share: float
    """Throughput of the lowest segment over the highest's."""
    backlog_growth: float | None
    """Growth of the wait before sending, seconds a second; none in a closed loop."""
    coefficient_of_variation: float
    correlation: float
    """Of neighbouring intervals' throughput."""
    mean_error: float
    """Standard error of the mean throughput, as a share of it."""
    intervals: int

    @property
    def is_steady(self) -> bool:
        """Whether one figure describes the phase."""
        return self.kind == "flat"


@dataclass(frozen=True)
class _Levels:
    """Where a line changes its level, and what its levels are, as logarithms."""

    begins: tuple[int, ...]
    means: tuple[float, ...]
    correlation: float
    error: float
    """Standard error of the mean, as an AR(1) with this correlation has it."""
    slope: float
    """Change from end to end by the Theil-Sen slope where it is significant, else 0."""


def assess(course: Course) -> Steadiness:
    """The class of a measured phase's course.

    :returns: `overloaded` when the backlog of an open loop grows; else by the levels of throughput,
        and of p99 where throughput is flat: `flat`, `warming_up` (gets better and stays so),
        `slowing_down` (gets worse and stays so), `unsteady` (anything else); `not_assessable` under
        ten intervals or when less than half of them saw a success.
    """
    values = np.asarray(course.throughputs, dtype=np.float64)
    variation = statistics.coefficient_of_variation(values.tolist())
    growth = _backlog_growth(course)
    if values.size < FEWEST_INTERVALS or float(np.median(values)) <= 0:
        none = (0.0, None, 1.0, growth, variation, 0.0, 0.0, values.size)
        return Steadiness("not_assessable", (), *none)
    width = math.ceil(values.size / MOST_POINTS)
    floor = FLOOR * float(np.median(values))
    throughput = _levels(np.log(np.maximum(values, floor)), width, THROUGHPUT_CHANGE)
    p99s = _usable_p99s(course)
    latency = None
    if p99s is not None:
        latency = _levels(np.log(p99s), width, P99_CHANGE)
    begins = _together(throughput, latency, math.ceil(values.size / width))
    segments = _segments(values, p99s, [begin * width for begin in begins])
    kind = _kind(throughput, latency)
    if growth is not None and growth > BACKLOG_GROWTH:
        kind = "overloaded"
    means = [segment.throughput for segment in segments]
    return Steadiness(
        kind,
        segments,
        _change(throughput),
        None if latency is None else _change(latency),
        min(means) / max(means) if max(means) > 0 else 1.0,
        growth,
        variation,
        throughput.correlation,
        throughput.error,
        values.size,
    )


def _levels(line: Floats, width: int, matters: float) -> _Levels:
    calm = _grouped(_calmed(line), width)
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
    return _Levels(begins, means, correlation, error, total if clear else 0.0)


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


def _kind(throughput: _Levels, latency: _Levels | None) -> SteadyClass:
    by_throughput = _way(throughput)
    if by_throughput is not None:
        return by_throughput
    if throughput.error > WIDE:
        return "unsteady"
    by_latency = None if latency is None else _way(latency, worse=1.0)
    return "flat" if by_latency is None else by_latency


def _way(levels: _Levels, worse: float = -1.0) -> SteadyClass | None:
    """Which way the levels go; None when there is one and no slope."""
    steps = np.diff(np.asarray(levels.means)) * worse
    if steps.size == 0:
        if levels.slope == 0.0:
            return None
        return "slowing_down" if levels.slope * worse > 0 else "warming_up"
    if bool((steps > 0).all()):
        return "slowing_down"
    return "warming_up" if bool((steps < 0).all()) else "unsteady"


def _change(levels: _Levels) -> float:
    """Last level against the first; of one level its slope."""
    if len(levels.means) == 1:
        return math.expm1(levels.slope)
    return math.expm1(levels.means[-1] - levels.means[0])


def _together(throughput: _Levels, latency: _Levels | None, size: int) -> list[int]:
    """Begins of both lines' segments; those closer than the shortest segment are one."""
    nearest = max(SHORTEST, math.ceil(size / SHORTEST_SHARE))
    found = list(throughput.begins)
    for begin in () if latency is None else latency.begins:
        if all(abs(begin - other) >= nearest for other in found):
            found.append(begin)
    return sorted(found)


def _segments(
    throughputs: Floats, p99s: Floats | None, begins: Sequence[int]
) -> tuple[Segment, ...]:
    ends = [*begins[1:], throughputs.size]
    return tuple(
        Segment(
            begin,
            end,
            float(throughputs[begin:end].mean()),
            None if p99s is None else float(np.median(p99s[begin:end])),
        )
        for begin, end in zip(begins, ends, strict=True)
    )


def _usable_p99s(course: Course) -> Floats | None:
    """The p99 of every interval; None unless most had operations enough for one."""
    if not course.p99s_us or not course.operations:
        return None
    if float(np.median(np.asarray(course.operations))) < OPERATIONS_FOR_P99:
        return None
    known = [value for value in course.p99s_us if value]
    if len(known) < FEWEST_INTERVALS:
        return None
    # An interval without a success has no p99; what is known of its neighbours stands in.
    filled = np.asarray([value or math.nan for value in course.p99s_us], dtype=np.float64)
    places = np.arange(filled.size)
    there = ~np.isnan(filled)
    return np.interp(places, places[there], filled[there])


def _backlog_growth(course: Course) -> float | None:
    """Growth of the wait before sending from the first to the last third, seconds a second.

    A stall that is worked off again leaves nothing: the median of each third counts, and the middle
    one has to lie between.
    """
    known = [value for value in course.waits_us if value is not None]
    if len(known) < FEWEST_INTERVALS or course.seconds <= 0:
        return None
    first, middle, last = (float(np.median(part)) for part in np.array_split(known, 3))
    if not first < middle < last:
        return 0.0
    return (last - first) / 1e6 / (course.seconds * 2.0 / 3.0)


def _grouped(values: Floats, width: int) -> Floats:
    """Means of `width` neighbours each, the last group maybe of fewer."""
    if width == 1:
        return values
    begins = np.arange(0, values.size, width)
    lengths = np.minimum(begins + width, values.size) - begins
    return np.asarray(np.add.reduceat(values, begins) / lengths, dtype=np.float64)
