"""Was the measured phase one thing, or several? Its course as classes and segments. Pure.

The throughput of the intervals, and the p99 where the intervals are full enough, are divided where
their level changes; neighbours that differ by less than would matter are one. How many segments are
left, and which way they go, is the class. Intervals next to each other are alike (a compaction
lasts, a cache fills slowly), so what counts as a change is measured against the long-run variance
of an AR(1) process, whose correlation is estimated in a way that changes of level do not touch.
What has one level may return to a lower one again and again, or stand still for a while.

How often it is wrong: `weighhouse_judging.bench.steadiness`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.findings.levels import (
    SHORTEST,
    SHORTEST_SHARE,
    WIDE,
    Floats,
    Levels,
    levels_of,
)
from weighhouse_judging.findings.periods import Period, period_of
from weighhouse_judging.findings.sparse import Sparse, by_chance, sparse

SteadyClass = Literal[
    "flat", "warming_up", "slowing_down", "periodic", "unsteady", "overloaded", "not_assessable"
]

ONE_WAY: tuple[SteadyClass, ...] = ("warming_up", "slowing_down")
FEWEST_INTERVALS = 10
"""Intervals below which nothing is said of a course."""
MOST_POINTS = 200
"""More intervals than these are taken together: a course is read by its tenths, not its seconds."""
THROUGHPUT_CHANGE, P99_CHANGE = 0.05, 0.20
"""Relative differences of level that matter."""
FLOOR = 0.01
"""A standstill is taken as this share of the median: its logarithm would be infinite."""
KNOWN = 0.25
"""Standard error of the rate, as a share of it, of few operations whose number tells enough: 16
that come by chance. What the mean's error is stands beside it.
"""
OPERATIONS_FOR_P99 = 1000
"""Operations in most intervals from which on ten lie beyond the interval's p99."""
SURE_OPERATIONS = 10.0
"""An interval stood still where so many operations were to be expected in it: by chance alone
nothing is done in one of 20,000 such."""
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
    lengths_seconds: Sequence[float] = ()
    """Of each interval; none: they are of one length."""


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
    """Throughput of the lowest segment over the highest's; of a period's parts, where it is one."""
    backlog_growth: float | None
    """Growth of the wait before sending, seconds a second; none in a closed loop."""
    coefficient_of_variation: float
    correlation: float
    """Of neighbouring intervals' throughput."""
    mean_error: float
    """Standard error of the mean throughput, as a share of it."""
    intervals: int
    few_operations: int | None = None
    """Successes in all, where there are too few to tell a course from chance."""
    period_seconds: float | None = None
    """With which throughput, or where that is flat p99, returns to its low; none: it does not."""
    period_of: Literal["throughput", "p99"] | None = None
    standstill_seconds: float = 0.0
    """In which next to nothing was done."""

    @property
    def is_steady(self) -> bool:
        """Whether one figure describes the phase."""
        return self.kind == "flat"


def assess(course: Course) -> Steadiness:
    """The class of a measured phase's course.

    :returns: `overloaded` when the backlog of an open loop grows; else by the levels of throughput,
        and of p99 where throughput is flat: `flat`, `warming_up` (gets better and stays so),
        `slowing_down` (gets worse and stays so), `periodic` (returns to its low again and again),
        `unsteady` (anything else, and where nothing was done for a while); `not_assessable` under
        ten intervals, when less than half of them saw a success, and where so few operations were
        done that their number alone says little.
    """
    few = sparse(course.operations, FEWEST_INTERVALS)
    if few is not None and few.even:
        return _even(course, few)
    if few is not None:
        rate = len(course.throughputs) / course.seconds if course.seconds else 1.0
        return _put_back(assess(Course([each * rate for each in few.rates])), few, course)
    values = np.asarray(course.throughputs, dtype=np.float64)
    variation = statistics.coefficient_of_variation(values.tolist())
    growth = _backlog_growth(course)
    if values.size < FEWEST_INTERVALS or float(np.median(values)) <= 0:
        none = (0.0, None, 1.0, growth, variation, 0.0, 0.0, values.size)
        return Steadiness("not_assessable", (), *none)
    width = math.ceil(values.size / MOST_POINTS)
    floor = FLOOR * float(np.median(values))
    error = by_chance(course.operations)
    throughput = (
        levels_of(np.log(np.maximum(values, floor)), width, THROUGHPUT_CHANGE)
        if error is None
        else Levels((0,), (math.log(float(values.mean())),), 0.0, error, 0.0)
    )
    p99s = _usable_p99s(course)
    latency = None
    if p99s is not None:
        latency = levels_of(np.log(p99s), width, P99_CHANGE)
    kind, begins = _kind(throughput, latency), _together(throughput, latency, values.size, width)
    returns = _returning(np.log(np.maximum(values, floor)), p99s, _way(throughput), width)
    if returns is not None:
        kind, begins = "periodic", [0]
    segments = _segments(values, p99s, [begin * width for begin in begins])
    standstill = _standstill_seconds(course, values, floor)
    if standstill > 0:
        kind = "unsteady"
    if growth is not None and growth > BACKLOG_GROWTH:
        kind = "overloaded"
    means = [segment.throughput for segment in segments]
    lowest = min(means) / max(means) if max(means) > 0 else 1.0
    period = of = None
    if returns is not None and kind == "periodic":
        of, found = returns
        period = found.intervals * course.seconds / values.size
        lowest = found.low if of == "throughput" else lowest
    return Steadiness(
        kind,
        segments,
        _change(throughput),
        None if latency is None else _change(latency),
        lowest,
        growth,
        variation,
        throughput.correlation,
        throughput.error,
        values.size,
        period_seconds=period,
        period_of=of,
        standstill_seconds=standstill,
    )


def _returning(
    logs: Floats, p99s: Floats | None, way: SteadyClass | None, width: int
) -> tuple[Literal["throughput", "p99"], Period] | None:
    """What returns, of throughput or, where that has one level, of p99; None where the course goes
    its way besides.
    """
    found = period_of(logs, THROUGHPUT_CHANGE)
    if found is not None:
        rest = levels_of(logs - found.course, width, THROUGHPUT_CHANGE)
        return None if _way(rest) in ONE_WAY else ("throughput", found)
    found = None if p99s is None or way is not None else period_of(np.log(p99s), P99_CHANGE)
    if found is None or p99s is None:
        return None
    rest = levels_of(np.log(p99s) - found.course, width, P99_CHANGE)
    return None if _way(rest, worse=1.0) in ONE_WAY else ("p99", found)


def _standstill_seconds(course: Course, values: Floats, floor: float) -> float:
    """For how long no more than the floor was done, in intervals in which enough was due."""
    same = course.seconds / values.size
    lengths = np.asarray(course.lengths_seconds or [same] * values.size, dtype=np.float64)
    usual = float(np.median(values))
    still = (values <= floor) & (usual * lengths >= SURE_OPERATIONS)
    return float(lengths[still].sum())


def _even(course: Course, few: Sparse) -> Steadiness:
    """Of few operations at an even rate, as far as can be seen of so many."""
    intervals = len(course.throughputs)
    known = few.error <= KNOWN
    rate = few.operations / course.seconds if course.seconds else 0.0
    return Steadiness(
        kind="flat" if known else "not_assessable",
        segments=(Segment(0, intervals, rate, None),) if known else (),
        throughput_change=0.0,
        p99_change=None,
        lowest_share=1.0,
        backlog_growth=_backlog_growth(course),
        coefficient_of_variation=statistics.coefficient_of_variation(few.rates),
        correlation=0.0,
        mean_error=few.error if math.isfinite(few.error) else 0.0,
        intervals=intervals,
        few_operations=None if known else few.operations,
    )


def _put_back(found: Steadiness, few: Sparse, course: Course) -> Steadiness:
    """What was found of groups, told of the intervals that they were made of."""
    intervals = len(course.throughputs)
    places = (*few.begins, intervals)
    growth = _backlog_growth(course)
    return replace(
        found,
        kind="overloaded" if growth is not None and growth > BACKLOG_GROWTH else found.kind,
        segments=tuple(
            replace(each, begin=places[each.begin], end=places[each.end]) for each in found.segments
        ),
        backlog_growth=growth,
        intervals=intervals,
    )


def _kind(throughput: Levels, latency: Levels | None) -> SteadyClass:
    by_throughput = _way(throughput)
    if by_throughput is not None:
        return by_throughput
    if throughput.error > WIDE:
        return "unsteady"
    by_latency = None if latency is None else _way(latency, worse=1.0)
    return "flat" if by_latency is None else by_latency


def _way(levels: Levels, worse: float = -1.0) -> SteadyClass | None:
    """Which way the levels go; None when there is one and no slope."""
    steps = np.diff(np.asarray(levels.means)) * worse
    if steps.size == 0:
        if levels.slope == 0.0:
            return None
        return "slowing_down" if levels.slope * worse > 0 else "warming_up"
    if bool((steps > 0).all()):
        return "slowing_down"
    return "warming_up" if bool((steps < 0).all()) else "unsteady"


def _change(levels: Levels) -> float:
    """Last level against the first; of one level its slope."""
    if len(levels.means) == 1:
        return math.expm1(levels.slope)
    return math.expm1(levels.means[-1] - levels.means[0])


def _together(throughput: Levels, latency: Levels | None, size: int, width: int) -> list[int]:
    """Begins of both lines' segments, in points of `width` intervals; those closer than the
    shortest segment are one.
    """
    nearest = max(SHORTEST, math.ceil(math.ceil(size / width) / SHORTEST_SHARE))
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
