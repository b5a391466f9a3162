"""Whether it stayed so over a soak: stored intervals and samples to the judge's trends. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weighhouse_judging.scenarios import soak
from weighhouse_judging.scenarios.soak import NotAssessable, Stalls

from weighhouse_backend.measurements.models import ResourceSample
from weighhouse_backend.results.fill import Material, measured_of
from weighhouse_backend.results.scenario_schemas import SoakFigures, StallsRead, TrendRead
from weighhouse_backend.runs.instants import microseconds

NO_STALLS = "No stalls that return."
OPEN_FILES = "system_open_files"
"""What an agent records with its samples."""
LATENCY = "p99_us"
RECORDS = frozenset({"memory_bytes", "disk_bytes"})
"""What grows with the records."""
PAGE = 4096.0


@dataclass(frozen=True)
class Line:
    """A figure at even times."""

    figure: str
    name: str
    values: Sequence[float]
    seconds: float
    """Between two of them."""
    holds: float | None = None
    """Of what a system holds on to: the least of it, of which growth is a leak."""


def figures(material: Material, *, inserts: bool) -> SoakFigures | None:
    """Whether it stayed so; None when nothing was measured. Raises HistogramError.

    :param inserts: whether records are added, so that what holds them has to grow.
    """
    lines = list(_lines(material))
    if not lines:
        return None
    throughput = lines[0]
    stalls = soak.stalls(throughput.values, throughput.seconds)
    return SoakFigures(
        hours=len(throughput.values) * throughput.seconds / soak.SECONDS_AN_HOUR,
        trends=[_trend(line, grows=inserts and line.figure in RECORDS) for line in lines],
        stalls=_stalls(stalls),
        stalls_sentence=NO_STALLS
        if stalls is None
        else stalls.sentence
        if isinstance(stalls, NotAssessable)
        else stalls.reason.sentence,
    )


def _lines(material: Material) -> Iterator[Line]:
    intervals = list(measured_of(material))
    if not intervals:
        return
    end = intervals[-1].end_seconds
    each = end / len(intervals)
    yield Line("throughput", "throughput", [one.throughput for one in intervals], each)
    late = [one.latency_us(LATENCY) for one in intervals]
    known = [value for value in late if value is not None]
    if known:
        yield Line(LATENCY, "p99", known, end / len(known))
    samples = [one for one in material.samples if 0 < material.seconds(microseconds(one.at)) <= end]
    for figure, name, holds, values in (
        ("memory_bytes", "memory", PAGE, [one.resident_bytes for one in samples]),
        ("disk_bytes", "disk", PAGE, [one.disk_bytes for one in samples]),
        ("open_files", "open files", 1.0, [_open(one) for one in samples]),
    ):
        told = [float(value) for value in values if value is not None]
        if told and any(told):
            yield Line(figure, name, told, end / len(told), holds)


def _open(sample: ResourceSample) -> float | None:
    value = sample.metrics.get(OPEN_FILES)
    return None if value is None else float(value)


def _trend(line: Line, *, grows: bool) -> TrendRead:
    relative = line.holds is None
    found = soak.trend(
        line.values,
        line.seconds,
        name=line.name,
        relative=relative,
        write=soak.in_bytes if line.figure.endswith("_bytes") else soak.plainly,
    )
    if isinstance(found, NotAssessable):
        return TrendRead.model_validate(
            {
                "figure": line.figure,
                "per_hour": None,
                "low": None,
                "high": None,
                "relative": relative,
                "clear": False,
                "leak": False,
                "sentence": found.sentence,
            }
        )
    return TrendRead.model_validate(
        {
            "figure": line.figure,
            "per_hour": found.per_hour,
            "low": found.low,
            "high": found.high,
            "relative": found.relative,
            "clear": found.clear,
            "leak": line.holds is not None and not grows and found.grown >= line.holds,
            "sentence": found.reason.sentence,
        }
    )


def _stalls(found: Stalls | NotAssessable | None) -> StallsRead | None:
    if not isinstance(found, Stalls):
        return None
    return StallsRead(
        period_seconds=found.period_seconds,
        depth=found.depth,
        dips=found.dips,
        sentence=found.reason.sentence,
    )
