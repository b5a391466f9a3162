"""Intervals as they are stored: counts as JSON, histograms as given, one behind the other. Pure.

The histograms of an interval go into one string of bytes, exactly as the driver made them; the
counts beside it tell where each begins. Nothing is decoded on the way in, nothing is lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from weighhouse_judging.arithmetic.histograms import from_text
from weighhouse_protocol.driver import Interval, OperationInterval, Recorded

OK, NOT_FOUND, VERIFY_FAILED = "ok", "not_found", "verify_failed"
ERROR_PREFIX = "error:"
"""Outcomes of failed operations are named by it and their kind: `error:timeout`."""

PhaseKind = Literal["load", "warmup", "measure"]
Slice = tuple[int, int]


class PackedOutcome(TypedDict, total=False):
    """Counts of one outcome, and where its histograms lie: begin and length in bytes."""

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


def from_report(interval: Interval) -> StoredInterval:
    """An interval as the driver reported it; raises HistogramError when it is not base64."""
    driver = interval.driver
    return StoredInterval(
        phase=interval.phase,
        phase_index=interval.index,
        start_us=interval.start_us,
        duration_us=interval.duration_us,
        operations={name: _outcomes(item) for name, item in interval.operations.items()},
        lag=None if driver.lag is None else from_text(driver.lag),
        driver=DriverUse(
            cpu_us=driver.cpu_us,
            loop_delay_p99_us=driver.loop_delay_p99_us,
            steal_percent=driver.steal_percent,
            in_flight_max=driver.in_flight_max,
            reconnects=driver.reconnects,
            saturated=driver.saturated,
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
        }
        for name, outcomes in packed.items()
    }


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
        **{f"{ERROR_PREFIX}{kind}": recorded for kind, recorded in item.errors.items()},
    }
    return {name: _outcome(recorded) for name, recorded in found.items() if recorded is not None}


def _outcome(recorded: Recorded) -> Outcome:
    return Outcome(
        count=recorded.count,
        overflow=recorded.overflow,
        response=None if recorded.response is None else from_text(recorded.response),
        service=None if recorded.service is None else from_text(recorded.service),
    )
