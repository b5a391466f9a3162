"""Charts of a run: series over time, percentile spectrum, heat map. Pure.

A chart is never longer than its points: neighbouring intervals of a phase are merged, counts by
addition and percentiles out of the merged histogram.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

import numpy as np
from weighhouse_judging.arithmetic.histograms import NS_PER_US, Histogram
from weighhouse_judging.findings.counted import FILL

from weighhouse_backend.measurements.arrivals import ArrivalLine, Arrived, arrival_line
from weighhouse_backend.measurements.packed_intervals import (
    ALL,
    ERROR_PREFIX,
    NEVER_SENT,
    NOT_FOUND,
    OK,
    VERIFY_FAILED,
    DriverUse,
    Extremes,
    Outcome,
    PhaseKind,
    StoredInterval,
)
from weighhouse_backend.measurements.points import PointFigures, Window, lower_end_us, window_of
from weighhouse_backend.measurements.summaries import US_PER_SECOND, OperationSum, PhaseSum

MOST_POINTS = 2000
MOST_COLUMNS = 400
"""Most steps of time in a heat map."""
SPECTRUM_STEPS_OF_A_DECADE = 40
NOTHING = Extremes((0.0, 0.0), None)
"""Of an operation in an interval that did not have it."""


@dataclass
class OperationLine:
    """One operation over time; lists of one length. Times in seconds, latencies in µs.

    Low and high are the extremes of the intervals that a point was merged from; None where it was
    not.
    """

    t: list[float] = field(default_factory=list)
    until: list[float] = field(default_factory=list)
    throughput: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    not_found: list[float] = field(default_factory=list)
    p50_us: list[float | None] = field(default_factory=list)
    p99_us: list[float | None] = field(default_factory=list)
    p999_us: list[float | None] = field(default_factory=list)
    p9999_us: list[float | None] = field(default_factory=list)
    throughput_low: list[float | None] = field(default_factory=list)
    throughput_high: list[float | None] = field(default_factory=list)
    p99_low_us: list[float | None] = field(default_factory=list)
    p99_high_us: list[float | None] = field(default_factory=list)


@dataclass(frozen=True)
class PhaseSpan:
    """When a phase was, in seconds from the run's first interval."""

    kind: PhaseKind | Literal["drain"]
    """Drain: after the end of an open loop's phase, when what was due in it comes back."""
    start_seconds: float
    end_seconds: float


@dataclass(frozen=True)
class MeasuredWindow:
    """All operations of one window of the measured phase, as a course is read from them."""

    start_seconds: float
    end_seconds: float
    ok: int
    p99_us: float | None
    wait_us: float | None
    """Mean response less mean service time; only in an open loop."""


@dataclass(frozen=True)
class Series:
    """What a run's charts over time show."""

    operations: dict[str, OperationLine]
    phases: list[PhaseSpan]
    measured: list[MeasuredWindow] = field(default_factory=list)
    arrivals: ArrivalLine | None = None
    """Of the measured phase; None in a closed loop, and of drivers that did not tell."""

    def line(self, operation: str) -> OperationLine:
        """An operation's line; an empty one when there was no such operation."""
        return self.operations.get(operation, OperationLine())

    def extend_phase(self, window: Window, origin_us: int) -> None:
        """Begin a phase with its first window, stretch it with the next."""
        begin = (window.start_us - origin_us) / US_PER_SECOND
        end = (window.end_us - origin_us) / US_PER_SECOND
        kind: PhaseKind | Literal["drain"] = "drain" if window.drain else window.phase
        if self.phases and self.phases[-1].kind == kind:
            begin = self.phases.pop().start_seconds
        self.phases.append(PhaseSpan(kind, begin, end))


@dataclass(frozen=True)
class HeatMap:
    """Operations by time and latency; `counts[i][j]` belongs to the interval from `t[i]` to
    `until[i]`, and to `buckets_us[j]`.
    """

    t: list[float]
    until: list[float]
    buckets_us: list[float]
    """Lower ends of the rows."""
    counts: list[list[int]]


@dataclass(frozen=True)
class SpectrumPoint:
    """A point of the percentile spectrum; `count` operations took at most `value_us`."""

    quantile: float
    value_us: float
    count: int


def width_for(intervals_count: int, points: int = MOST_POINTS) -> int:
    """How many neighbouring intervals to merge for a chart of at most about `points`."""
    return max(1, math.ceil(intervals_count / max(1, points)))


def windows(intervals: Sequence[StoredInterval], points: int = MOST_POINTS) -> Iterator[Window]:
    """Merge neighbouring intervals, in order of time, into at most about `points` windows.

    A window never spans two phases. Raises HistogramError.
    """
    for members in _neighbours(intervals, width_for(len(intervals), points)):
        yield window_of(_summed(members), extremes_of(members))


def merge_neighbours(intervals: Sequence[StoredInterval], width: int) -> Iterator[StoredInterval]:
    """Neighbouring intervals of a phase merged into one, `width` at a time.

    Counts are added, histograms of the successes merged, extremes kept. Raises HistogramError.
    """
    for members in _neighbours(intervals, width):
        yield replace(merge_intervals(members), extremes=extremes_of(members))


def extremes_of(members: Sequence[StoredInterval]) -> dict[str, Extremes]:
    """The lowest and highest figures of neighbouring intervals, by operation and for `ALL`.

    An operation that an interval did not have was 0 a second in it. Intervals that were merged
    before tell their own extremes. Empty for one interval as a driver reported it, for it has none.
    Raises HistogramError.
    """
    members = [member for member in members if member.duration_us > 0]
    if len(members) == 1:
        return dict(members[0].extremes)
    names = {name for member in members for name in member.operations}
    found: dict[str, Extremes] = {}
    for member in members:
        own = member.extremes or _figures_of(member)
        for name in (*names, ALL):
            mine = own.get(name, NOTHING)
            found[name] = found[name].joined(mine) if name in found else mine
    return found


def _figures_of(interval: StoredInterval) -> dict[str, Extremes]:
    """An interval's own figures, as extremes that do not differ."""
    seconds = interval.duration_us / US_PER_SECOND
    found, everything, count = {}, Histogram(), 0
    for name, outcomes in interval.operations.items():
        succeeded = outcomes.get(OK, Outcome(0))
        mine = Histogram()
        if succeeded.response is not None:
            mine.add_encoded(succeeded.response)
            everything.add(mine)
        count += succeeded.count
        found[name] = _point(succeeded.count / seconds, mine)
    found[ALL] = _point(count / seconds, everything)
    return found


def _point(throughput: float, response: Histogram) -> Extremes:
    (p99,) = response.quantiles_us([0.99])
    return Extremes((throughput, throughput), None if p99 is None else (p99, p99))


def merge_intervals(
    members: Sequence[StoredInterval], start_us: int | None = None, end_us: int | None = None
) -> StoredInterval:
    """Intervals of one phase merged into one.

    :param start_us: default: the earliest begin; and so for the end. Raises HistogramError.
    """
    return _stored(_summed(members), members, start_us, end_us)


def merge_and_draw(members: Sequence[StoredInterval]) -> tuple[StoredInterval, Window]:
    """Intervals of one phase merged into one that keeps their extremes, and what is drawn of it.

    Raises HistogramError.
    """
    phase, extremes = _summed(members), extremes_of(members)
    stored = replace(_stored(phase, members, None, None), extremes=extremes)
    return stored, window_of(phase, extremes)


def _stored(
    phase: PhaseSum, members: Sequence[StoredInterval], start_us: int | None, end_us: int | None
) -> StoredInterval:
    start = phase.start_us if start_us is None else start_us
    end = phase.end_us if end_us is None else end_us
    return StoredInterval(
        phase=phase.phase,
        phase_index=members[0].phase_index,
        start_us=start,
        duration_us=end - start,
        operations={name: _outcomes(item) for name, item in phase.operations.items()},
        lag=None if phase.lag is None else phase.lag.encoded(),
        driver=DriverUse(
            cpu_us=phase.cpu_us,
            driver_us=phase.driver_us,
            steal_percent_mean=phase.steal_percent_mean,
            loop_delay_p99_us=phase.loop_delay_p99_us,
            steal_percent=phase.steal_percent,
            in_flight_max=max(member.driver.in_flight_max for member in members),
            reconnects=phase.reconnects,
            saturated=phase.saturated,
            drain=members[0].driver.drain,
            due=_due(phase, start, end),
        ),
    )


def _due(phase: PhaseSum, start_us: int, end_us: int) -> list[list[int]]:
    """What was due by when: what was due within the window, together."""
    found: dict[int, tuple[int, int]] = {}
    for due_at, (begun, never) in sorted(phase.due.items()):
        at = start_us if start_us <= due_at < end_us else due_at
        before = found.get(at, (0, 0))
        found[at] = (before[0] + begun, before[1] + never)
    return [[at, begun, never] for at, (begun, never) in found.items()]


def series(merged: Iterable[Window], origin_us: int) -> Series:
    """Each operation, and `all`, over time, and when the phases were; `origin_us` is second 0.

    An operation that a phase has had is 0 in a window without it: nobody answered, and a line
    drawn across would hide that. Takes the windows one by one and keeps none, so that a long run
    needs no more memory.
    """
    drawn, lines = Series({}, []), defaultdict[str, list[tuple[Any, ...]]](list)
    arrivals: list[Arrived] = []
    phase, had, usual_us = None, set[str](), 0
    for each in merged:
        # What comes back after the phase may come at once: its rate is that of a usual window.
        usual_us = max(usual_us, 0 if each.drain else each.end_us - each.start_us)
        window = _as_long(each, usual_us) if each.drain else each
        drawn.extend_phase(window, origin_us)
        if window.phase != phase:
            phase, had = window.phase, set()
        if window.end_us <= window.start_us:
            continue
        for name, point in window.figures.items():
            lines[name].append(_point_of(window, origin_us, point, window.extremes.get(name)))
        for name in had - window.figures.keys():
            lines[name].append(_point_of(window, origin_us, PointFigures(), None))
        had |= window.figures.keys()
        if window.phase == "measure":
            # Fills follow from reads, and are none of what was due.
            fills = window.figures.get(FILL, PointFigures())
            count = window.figures[ALL].came_back - fills.came_back
            arrivals.append(Arrived(window.start_us, window.end_us, count, window.due))
        if window.phase == "measure" and not window.drain:
            begin = (window.start_us - origin_us) / US_PER_SECOND
            end = (window.end_us - origin_us) / US_PER_SECOND
            every = window.figures[ALL]
            drawn.measured.append(MeasuredWindow(begin, end, every.ok, every.p99_us, every.wait_us))
    drawn.operations.update((name, _line(points)) for name, points in lines.items())
    return replace(drawn, arrivals=arrival_line(arrivals, origin_us))


def heat_map(merged: Iterable[Window], origin_us: int) -> HeatMap:
    """Successes of all operations by time and latency, rows spaced by the logarithm."""
    columns, times, ends_at = [], [], []
    for window in merged:
        times.append((window.start_us - origin_us) / US_PER_SECOND)
        ends_at.append((window.end_us - origin_us) / US_PER_SECOND)
        columns.append(window.heat)
    steps = {step for column in columns for step in column}
    if not steps:
        return HeatMap(times, ends_at, [], [[] for _ in times])
    rows = range(min(steps), max(steps) + 1)
    counts = [[column.get(step, 0) for step in rows] for column in columns]
    return HeatMap(times, ends_at, [lower_end_us(step) for step in rows], counts)


def spectrum(histogram: Histogram) -> list[SpectrumPoint]:
    """Latency by percentile, denser towards the tail, ending with the largest (quantile 1)."""
    total = histogram.total
    if total == 0:
        return []
    decades = math.log10(total)
    steps = math.ceil(decades * SPECTRUM_STEPS_OF_A_DECADE)
    quantiles = [1 - 10 ** (-step / SPECTRUM_STEPS_OF_A_DECADE) for step in range(steps + 1)]
    quantiles = [quantile for quantile in quantiles if quantile <= 1 - 1 / total] + [1.0]
    ends, amounts = histogram.filled()
    running = np.cumsum(amounts)
    points = []
    for quantile in quantiles:
        rank = max(1, math.ceil(quantile * total - 1e-9))
        place = int(np.searchsorted(running, rank))
        points.append(SpectrumPoint(quantile, float(ends[place]) / NS_PER_US, int(running[place])))
    return points


def _neighbours(
    intervals: Sequence[StoredInterval], width: int
) -> Iterator[Sequence[StoredInterval]]:
    ordered = sorted(intervals, key=lambda item: (item.phase_index, item.start_us))
    for _, group in groupby(ordered, key=lambda item: (item.phase_index, item.driver.drain)):
        members = list(group)
        for begin in range(0, len(members), width):
            yield members[begin : begin + width]


def _summed(members: Sequence[StoredInterval]) -> PhaseSum:
    first = members[0]
    phase = PhaseSum(first.phase, first.start_us, first.start_us + first.duration_us)
    for member in members:
        phase.add(member)
    return phase


def _outcomes(operation: OperationSum) -> dict[str, Outcome]:
    """What was summed, so that summing it again gives the same: the times of all that did not
    succeed stand with the first such outcome, where all of them were timed.
    """
    service = None if operation.service is None else operation.service.encoded()
    found = {OK: Outcome(operation.ok, operation.overflow, operation.response.encoded(), service)}
    others = {f"{ERROR_PREFIX}{kind}": count for kind, count in operation.errors_by_kind.items()}
    others |= {NOT_FOUND: operation.not_found, VERIFY_FAILED: operation.verify_failed}
    if operation.never_sent:
        found[NEVER_SENT] = Outcome(operation.never_sent)
    times = None if operation.untimed else (operation.others or Histogram()).encoded()
    for name, count in others.items():
        if count:
            found[name] = Outcome(count, 0, times)
            times = None if times is None else Histogram().encoded()
    return found


def _as_long(window: Window, least_us: int) -> Window:
    if 2 * (window.end_us - window.start_us) >= least_us:
        return window
    return replace(window, end_us=window.start_us + least_us)


def _point_of(
    window: Window, origin_us: int, point: PointFigures, extremes: Extremes | None
) -> tuple[float | None, ...]:
    """A point of an operation's line, in the order of `OperationLine`."""
    seconds = (window.end_us - window.start_us) / US_PER_SECOND
    low, high = (None, None) if extremes is None else extremes.throughput
    slow_low, slow_high = (None, None) if extremes is None else extremes.p99_us or (None, None)
    return (
        (window.start_us - origin_us) / US_PER_SECOND,
        (window.end_us - origin_us) / US_PER_SECOND,
        point.ok / seconds,
        point.errors / seconds,
        point.not_found / seconds,
        point.p50_us,
        point.p99_us,
        point.p999_us,
        point.p9999_us,
        low,
        high,
        slow_low,
        slow_high,
    )


def _line(points: Iterable[tuple[Any, ...]]) -> OperationLine:
    return OperationLine(*map(list, zip(*points, strict=True)))
