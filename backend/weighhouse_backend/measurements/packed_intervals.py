"""Intervals as they are stored: counts as JSON, histograms as given, one behind the other. Pure.

The histograms of an interval go into one string of bytes, exactly as the driver made them; the
counts beside it tell where each begins. Nothing is decoded on the way in, nothing is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from weighhouse_judging.arithmetic.histograms import from_text, require_usual
from weighhouse_protocol.driver import Interval, OperationInterval, Recorded

OK, NOT_FOUND, VERIFY_FAILED = "ok", "not_found", "verify_failed"
NEVER_SENT = "never_sent"
"""Due, and given up without having been sent: nothing came of it, and there is no time of it."""
ERROR_PREFIX = "error:"
"""Outcomes of failed operations are named by it and their kind: `error:timeout`."""

PhaseKind = Literal["load", "warmup", "measure"]
Slice = tuple[int, int]


EXTREMES = "extremes"
"""Beside the outcomes of an operation: the extremes of the intervals merged into a row."""
ALL = "all"
"""Name of the sum over all operations."""


class PackedOutcome(TypedDict, total=False):
    """Counts of one outcome, and where its histograms lie: begin and length in bytes.

    Under `EXTREMES` it holds the lowest and highest throughput and p99 instead.
    """

    throughput: list[float]
    p99_us: list[float]
    count: int
    overflow: int
    response: list[int]
    service: list[int]


PackedOperations = dict[str, dict[str, PackedOutcome]]
"""Operation → outcome → counts."""


@dataclass(frozen=True)
class Outcome:
    """Operations with one outcome in one interval."""

    count: int
    overflow: int = 0
    response: bytes | None = None
    service: bytes | None = None


@dataclass(frozen=True)
class DriverUse:
    """What the driver used of its machine in one interval."""

    cpu_us: int = 0
    loop_delay_p99_us: float = 0.0
    steal_percent: float = 0.0
    in_flight_max: int = 0
    reconnects: int = 0
    saturated: bool = False
    driver_us: int | None = None
    """Of what was merged: summed lengths; None: as long as the interval."""
    steal_percent_mean: float | None = None
    """Of what was merged, where `steal_percent` is the largest."""
    drain: bool = False
    """Whether the interval lies after the end of its phase: see the driver's protocol."""
    due: Sequence[Sequence[int]] = ()
    """`weighhouse_protocol.driver.Due` each, of an open loop."""


@dataclass(frozen=True, slots=True)
class Extremes:
    """The lowest and highest figures among neighbouring intervals that were merged."""

    throughput: tuple[float, float]
    """Successes a second."""
    p99_us: tuple[float, float] | None
    """None where no interval had a success."""

    def joined(self, other: "Extremes") -> "Extremes":
        """The extremes of both."""
        slow = [pair for pair in (self.p99_us, other.p99_us) if pair is not None]
        return Extremes(_span([self.throughput, other.throughput]), _span(slow) if slow else None)


def _span(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return min(low for low, _ in pairs), max(high for _, high in pairs)


@dataclass(frozen=True)
class StoredInterval:
    """One interval, or several merged into one, as summaries and charts read it."""

    phase: PhaseKind
    phase_index: int
    start_us: int
    """Unix time, µs."""
    duration_us: int
    operations: Mapping[str, Mapping[str, Outcome]]
    lag: bytes | None = None
    driver: DriverUse = field(default_factory=DriverUse)
    extremes: Mapping[str, Extremes] = field(default_factory=dict)
    """Of the intervals that were merged into this one, by operation and for `ALL`; empty for an
    interval as a driver reported it, and for one merged before extremes were kept."""


def from_report(interval: Interval) -> StoredInterval:
    """An interval as the driver reported it; raises HistogramError when a histogram is not
    base64, or counts in other buckets than all do.
    """
    driver = interval.driver
    return StoredInterval(
        phase=interval.phase,
        phase_index=interval.index,
        start_us=interval.start_us,
        duration_us=interval.duration_us,
        operations={name: _outcomes(item) for name, item in interval.operations.items()},
        lag=_histogram(driver.lag),
        driver=DriverUse(
            cpu_us=driver.cpu_us,
            loop_delay_p99_us=driver.loop_delay_p99_us,
            steal_percent=driver.steal_percent,
            in_flight_max=driver.in_flight_max,
            reconnects=driver.reconnects,
            saturated=driver.saturated,
            drain=interval.drain,
            due=[list(each) for each in interval.due],
        ),
    )


def pack(interval: StoredInterval) -> tuple[PackedOperations, bytes, list[int] | None]:
    """Counts, bytes of all histograms, and where the lag's lie among them."""
    blob = bytearray()
    packed: PackedOperations = {}
    for name, outcomes in interval.operations.items():
        packed[name] = {}
        for outcome, value in outcomes.items():
            entry = PackedOutcome(count=value.count)
            if value.overflow:
                entry["overflow"] = value.overflow
            if value.response is not None:
                entry["response"] = _append(blob, value.response)
            if value.service is not None:
                entry["service"] = _append(blob, value.service)
            packed[name][outcome] = entry
    for name, extremes in interval.extremes.items():
        found = PackedOutcome(throughput=list(extremes.throughput))
        if extremes.p99_us is not None:
            found["p99_us"] = list(extremes.p99_us)
        packed.setdefault(name, {})[EXTREMES] = found
    lag = None if interval.lag is None else _append(blob, interval.lag)
    return packed, bytes(blob), lag


def unpack(packed: PackedOperations, blob: bytes) -> dict[str, dict[str, Outcome]]:
    """The operations that `pack` stored."""
    return {
        name: {
            outcome: Outcome(
                count=entry["count"],
                overflow=entry.get("overflow", 0),
                response=cut(blob, entry.get("response")),
                service=cut(blob, entry.get("service")),
            )
            for outcome, entry in outcomes.items()
            if outcome != EXTREMES
        }
        for name, outcomes in packed.items()
        if name != ALL
    }


def unpack_extremes(packed: PackedOperations) -> dict[str, Extremes]:
    """The extremes that `pack` stored, by operation and for `ALL`."""
    found = {}
    for name, outcomes in packed.items():
        entry = outcomes.get(EXTREMES)
        if entry is not None:
            (low, high), slow = entry["throughput"], entry.get("p99_us")
            found[name] = Extremes((low, high), None if slow is None else (slow[0], slow[1]))
    return found


def cut(blob: bytes, where: list[int] | None) -> bytes | None:
    """The histogram at `where` (begin, length); None for nowhere."""
    return None if where is None else blob[where[0] : where[0] + where[1]]


def _append(blob: bytearray, piece: bytes) -> list[int]:
    begin = len(blob)
    blob += piece
    return [begin, len(piece)]


def _outcomes(item: OperationInterval) -> dict[str, Outcome]:
    found: dict[str, Recorded | None] = {
        OK: item.ok,
        NOT_FOUND: item.not_found,
        VERIFY_FAILED: item.verify_failed,
        NEVER_SENT: item.never_sent,
        **{f"{ERROR_PREFIX}{kind}": recorded for kind, recorded in item.errors.items()},
    }
    return {name: _outcome(recorded) for name, recorded in found.items() if recorded is not None}


def _outcome(recorded: Recorded) -> Outcome:
    return Outcome(
        count=recorded.count,
        overflow=recorded.overflow,
        response=_histogram(recorded.response),
        service=_histogram(recorded.service),
    )


def _histogram(text: str | None) -> bytes | None:
    return None if text is None else require_usual(from_text(text))
