"""What a fill gave, from stored intervals and samples to the judge's figures. Pure.

Records are what was written: all that the load phase did, and inserts from then on. Bytes are those
that the agent saw (`fill_amount` of its samples), with the target it worked towards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_judging.scenarios import sustained
from weighhouse_judging.scenarios.spread import Interval, Spread
from weighhouse_judging.scenarios.sustained import Amount, Plan, Tenth
from weighhouse_protocol.scenarios import FillUntil

from weighhouse_backend.measurements import charts
from weighhouse_backend.measurements.models import ResourceSample, TimelineMark
from weighhouse_backend.measurements.packed_intervals import ALL, OK, Outcome, StoredInterval
from weighhouse_backend.measurements.summaries import US_PER_SECOND, OperationSum, PhaseSum
from weighhouse_backend.results.scenario_schemas import (
    FillFigures,
    FillLineRead,
    FillMarkRead,
    FillRead,
    SpreadRead,
    TenthRead,
)
from weighhouse_backend.runs.instants import microseconds

LATENCIES = {"p99_us": 0.99, "p9999_us": 0.9999}
"""Percentiles whose course over the intervals is kept."""
SLIVER = 0.5
"""Share of an interval below which the last one stands for itself no more."""
AMOUNT, TARGET, FREE, SIZE = "fill_amount", "fill_target", "fill_disk_free", "fill_disk_size"
"""What an agent records with its samples."""


@dataclass(frozen=True)
class Material:
    """What was recorded of an attempt."""

    intervals: Sequence[StoredInterval]
    """In order; of several drivers together."""
    samples: Sequence[ResourceSample]
    """Of the machine that holds the system."""
    marks: Sequence[TimelineMark]

    @cached_property
    def measured(self) -> list[StoredInterval]:
        """Intervals of the measured phase. What came back after its end, in a last interval that is
        shorter than half of the one before, belongs to that one. Raises HistogramError.
        """
        found = [one for one in self.intervals if one.phase == "measure" and one.duration_us > 0]
        if len(found) > 1 and found[-1].duration_us < SLIVER * found[-2].duration_us:
            found[-2:] = [charts.merge_intervals(found[-2:])]
        return found

    @property
    def begin_us(self) -> int:
        """When the measured phase began, unix µs."""
        return min((one.start_us for one in self.measured), default=0)

    def seconds(self, at_us: int) -> float:
        """Of an instant, from the measured phase's begin."""
        return (at_us - self.begin_us) / US_PER_SECOND


@dataclass(frozen=True)
class Filled:
    """A fill as the judge reads it."""

    plan: Plan
    intervals: tuple[Interval, ...]
    amounts: tuple[Amount, ...]


def filled(until: FillUntil, most_seconds: float, material: Material) -> Filled | None:
    """A fill as the judge reads it; None where no agent said what it worked towards.

    :param most_seconds: that the measured phase might last. Raises HistogramError.
    """
    if until.records is not None:
        plan = Plan("records", float(until.records), most_seconds)
        amounts = tuple(_written(material))
    else:
        seen = [one for one in material.samples if TARGET in one.metrics]
        if not seen:
            return None
        plan = Plan("bytes", float(seen[-1].metrics[TARGET]), most_seconds)
        amounts = tuple(
            Amount(material.seconds(microseconds(one.at)), float(one.metrics[AMOUNT]))
            for one in seen
            if AMOUNT in one.metrics
        )
    return Filled(plan, tuple(measured_of(material)), amounts)


def figures(until: FillUntil, most_seconds: float, material: Material) -> FillFigures | None:
    """What a fill gave; None where nothing tells. Raises HistogramError."""
    read = filled(until, most_seconds, material)
    if read is None or not read.intervals:
        return None
    found = sustained.figures(read.plan, read.intervals, read.amounts)
    seconds = read.intervals[-1].end_seconds
    free, size = _disk(material, seconds)
    ended = sustained.ends(
        # A phase that nothing ended was over when it had lasted as long as it might.
        Plan(read.plan.fills, read.plan.target, min(most_seconds, seconds)),
        Amount(seconds, found.reached * read.plan.target),
        free,
        size,
    )
    latencies = dict(found.latencies_us)
    return FillFigures.model_validate(
        {
            "fills": until.said[0],
            "target": read.plan.target,
            "words": until.words,
            "begun": found.begun,
            "reached": found.reached,
            "ended": "time_over" if ended is None else ended.kind,
            "sentence": "" if ended is None else ended.sentence,
            "seconds": seconds,
            "first_tenth": _tenth(found.first_tenth, read.intervals, material),
            "last_tenth": _tenth(found.last_tenth, read.intervals, material),
            "throughput_change": found.throughput_change,
            "throughput": _spread(found.throughput),
            **{name: _spread(latencies.get(name)) for name in LATENCIES},
        }
    )


def fill_read(
    kept: FillFigures, until: FillUntil, most_seconds: float, material: Material, points: int
) -> FillRead | None:
    """A fill by progress, in at most about `points` points.

    :param kept: its figures, as they were stored. Raises HistogramError.
    """
    read = filled(until, most_seconds, material)
    if read is None:
        return None
    windows = list(charts.windows(material.measured, points))
    drawn = charts.series(windows, material.begin_us).line(ALL)
    ends = [
        Interval(begin, end - begin, 0) for begin, end in zip(drawn.t, drawn.until, strict=True)
    ]
    marks = [
        (mark, material.seconds(microseconds(mark.at)))
        for mark in material.marks
        if mark.kind != "phase"
    ]
    during = [(mark, at) for mark, at in marks if 0 <= at <= kept.seconds]
    places = sustained.progress_of(
        read.plan, [Interval(at, 0.0, 0) for _, at in during], read.amounts
    )
    return FillRead(
        figures=kept,
        line=FillLineRead(
            progress=list(sustained.progress_of(read.plan, ends, read.amounts)),
            until_seconds=drawn.until,
            throughput=drawn.throughput,
            p99_us=drawn.p99_us,
            p9999_us=drawn.p9999_us,
        ),
        marks=[
            FillMarkRead(kind=mark.kind, label=mark.label, progress=place, at_seconds=at)
            for (mark, at), place in zip(during, places, strict=True)
        ],
    )


def measured_of(material: Material) -> Iterator[Interval]:
    """The intervals of the measured phase, with the percentiles of each. Raises HistogramError."""
    for one in material.measured:
        total = _everything([one])
        values = total.response.quantiles_us(list(LATENCIES.values()))
        known = zip(LATENCIES, values, strict=True)
        yield Interval(
            material.seconds(one.start_us),
            one.duration_us / US_PER_SECOND,
            total.ok,
            total.errors + total.verify_failed,
            latencies_us=tuple((name, value) for name, value in known if value is not None),
        )


def _written(material: Material) -> Iterator[Amount]:
    """Records that were there at the end of each interval, from what was loaded on."""
    records, begun = 0, False
    for one in material.intervals:
        if one.phase == "measure" and not begun:
            begun = True
            yield Amount(0.0, float(records))
        records += sum(
            outcomes.get(OK, Outcome(0)).count
            for name, outcomes in one.operations.items()
            if one.phase == "load" or name == "insert"
        )
        if one.phase == "measure":
            yield Amount(material.seconds(one.start_us + one.duration_us), float(records))


def _disk(material: Material, seconds: float) -> tuple[float | None, float | None]:
    """Free bytes and size of the disk as last seen while it was measured."""
    seen = [
        one
        for one in material.samples
        if FREE in one.metrics and material.seconds(microseconds(one.at)) <= seconds
    ]
    return (seen[-1].metrics[FREE], seen[-1].metrics[SIZE]) if seen else (None, None)


def _tenth(
    found: Tenth | None, intervals: Sequence[Interval], material: Material
) -> TenthRead | None:
    if found is None:
        return None
    merged: Histogram = _everything(material.measured[found.begin : found.end]).response
    p50, p99, p9999 = merged.quantiles_us([0.5, 0.99, 0.9999])
    return TenthRead(
        from_seconds=intervals[found.begin].begin_seconds,
        until_seconds=intervals[found.end - 1].end_seconds,
        from_progress=found.from_progress,
        to_progress=found.to_progress,
        ok=sum(one.ok for one in intervals[found.begin : found.end]),
        throughput=found.throughput,
        p50_us=p50,
        p99_us=p99,
        p9999_us=p9999,
    )


def _everything(intervals: Sequence[StoredInterval]) -> OperationSum:
    phase = PhaseSum("measure", 0, 0)
    for one in intervals:
        phase.add(one)
    return phase.everything()


def _spread(found: Spread | None) -> SpreadRead | None:
    return None if found is None else SpreadRead(**asdict(found))
