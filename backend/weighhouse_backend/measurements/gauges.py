"""What a system said of itself, and what passed disks and network, over a run."""

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.measurements.models import ResourceSample
from weighhouse_backend.measurements.samples import SampleService

Unit = Literal["bytes", "packets", "percent", "us", "ms", "seconds", "number"]
Source = Literal["system", "disk", "network", "machine"]

COUNTERS: Mapping[str, tuple[str, Source, Unit]] = {
    "system_disk_read_bytes": ("Read from disk", "disk", "bytes"),
    "system_disk_written_bytes": ("Written to disk", "disk", "bytes"),
    "network_received_bytes": ("Received", "network", "bytes"),
    "network_sent_bytes": ("Sent", "network", "bytes"),
    "network_received_packets": ("Packets received", "network", "packets"),
    "network_sent_packets": ("Packets sent", "network", "packets"),
}
"""What agents count since sampling began: label, source, unit; of networks by interface."""
OF_MACHINE: Mapping[str, tuple[str, Unit]] = {
    "system_open_files": ("Files the system holds open", "number"),
    "machine_throttled_us": ("Held back by its control group", "us"),
    "machine_thermal_throttles": ("Cores slowed by heat", "number"),
    "machine_swapped_bytes": ("Swapped", "bytes"),
}
"""What agents tell besides, of one sampling period."""
OF_FILL = "fill_"
"""Shown as the course of a fill, not as a gauge."""
_UNITS: tuple[tuple[re.Pattern[str], Unit], ...] = (
    (re.compile(r"(?i)(^|[._])(pct|percent|percentage)\Z"), "percent"),
    (re.compile(r"(?i)kbytes|kib\b"), "number"),
    (re.compile(r"(?i)bytes|^used_memory|maxmemory\Z|memory\.(used|free|total)"), "bytes"),
    (re.compile(r"(?i)(_us|micros|microseconds)\Z"), "us"),
    (re.compile(r"(?i)(_ms|millis|milliseconds)\Z"), "ms"),
    (re.compile(r"(?i)(_seconds|_sec)\Z"), "seconds"),
)
"""By the name that the system gives it; what fits none is a number."""


@dataclass(frozen=True)
class GaugeStep:
    """The last sample of a stretch."""

    at: datetime.datetime
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Gauges:
    """Samples of one attempt, thinned to what a chart has room for."""

    every: int
    """A step is the last of so many samples."""
    by_member: Mapping[int, Sequence[GaugeStep]]


@dataclass(frozen=True)
class Gauge:
    """One of them over time."""

    name: str
    label: str
    source: Source
    unit: Unit
    values: list[float | None]
    per_second: list[float | None] | None
    """Of a counter: between a step and the one before."""
    total: float | None
    """Of a counter: over all steps; where it began anew, what came after is added."""


def gauge_steps(session: Session, attempt_id: UUID, points: int) -> Gauges:
    """The system's own metrics of an attempt, at most about `points` samples of each member."""
    stretches = SampleService(session).ends(attempt_id, points)
    found = {
        member: _fetched(session, attempt_id, member, one.sequences)
        for member, one in stretches.items()
    }
    return Gauges(max((one.width for one in stretches.values()), default=1), found)


def _fetched(
    session: Session, attempt_id: UUID, member: int, sequences: Sequence[int]
) -> list[GaugeStep]:
    rows = session.execute(
        select(ResourceSample.at, ResourceSample.metrics)
        .where(
            ResourceSample.attempt_id == attempt_id,
            ResourceSample.member == member,
            ResourceSample.sequence.in_(sequences),
        )
        .order_by(ResourceSample.sequence)
    )
    return [GaugeStep(at, _numbers(metrics)) for at, metrics in rows]


def gauges_of(steps: Sequence[GaugeStep]) -> list[Gauge]:
    """Every gauge of one member: disks and networks, then the machine's, then the system's own by
    name; of each what never was anything but 0 last.

    :param steps: in order of time.
    """
    names = sorted({name for one in steps for name in one.metrics if not name.startswith(OF_FILL)})
    found = [_gauge(name, steps) for name in names]
    order: Sequence[Source] = ("disk", "network", "machine", "system")
    return sorted(found, key=lambda one: (order.index(one.source), not any(one.values)))


def _gauge(name: str, steps: Sequence[GaugeStep]) -> Gauge:
    values = [one.metrics.get(name) for one in steps]
    base, dot, interface = name.partition(".")
    if base in COUNTERS and bool(dot) == (COUNTERS[base][1] == "network"):
        label, source, unit = COUNTERS[base]
        deltas = list(_deltas(values))
        return Gauge(
            name,
            f"{label}, {interface}" if dot else label,
            source,
            unit,
            values,
            list(_rates(deltas, [one.at for one in steps])),
            sum(one for one in deltas if one is not None),
        )
    if name in OF_MACHINE:
        label, unit = OF_MACHINE[name]
        return Gauge(name, label, "machine", unit, values, None, None)
    return Gauge(name, name, "system", unit_of(name), values, None, None)


def unit_of(name: str) -> Unit:
    """The unit of a system's own metric, as far as its name tells."""
    return next((unit for pattern, unit in _UNITS if pattern.search(name)), "number")


def _deltas(values: Iterable[float | None]) -> Iterator[float | None]:
    """By how much a counter that begins at 0 grew; after a gap, over the gap."""
    before = 0.0
    for value in values:
        if value is None:
            yield None
            continue
        yield value if value < before else value - before
        before = value


def _rates(
    deltas: Sequence[float | None], instants: Sequence[datetime.datetime]
) -> Iterator[float | None]:
    earlier: datetime.datetime | None = None
    for delta, at in zip(deltas, instants, strict=True):
        if delta is None:
            yield None
            continue
        elapsed = None if earlier is None else (at - earlier).total_seconds()
        yield delta / elapsed if elapsed else None
        earlier = at


def _numbers(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Nothing here can be less than 0: agents of before told -1 of what a system does not keep."""
    return {
        name: float(value)
        for name, value in metrics.items()
        if isinstance(value, int | float) and value >= 0
    }
