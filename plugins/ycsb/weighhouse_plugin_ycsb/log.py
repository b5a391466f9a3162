"""Reads the histogram logs of YCSB while they grow.

A file for each kind of measurement, `READ.hdr`, `READ-NOT_FOUND.hdr`, `Intended-READ.hdr`, in
HdrHistogram's interval log, versions 1.2 and 1.3; values in µs. YCSB writes one interval into each
of them, then a status line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from weighhouse_protocol.driver import DriverSelf, OperationInterval, Recorded
from weighhouse_sdk.errors import DriverFailed
from weighhouse_sdk.toolrun.histograms import HistogramUnreadable, decoded
from weighhouse_sdk.toolrun.work import US_PER_SECOND, Slice, recorded

NAMES = {
    "READ": "read",
    "UPDATE": "update",
    "INSERT": "insert",
    "SCAN": "scan",
    "READ-MODIFY-WRITE": "read_modify_write",
}
INTENDED = "Intended-"
NOT_FOUND = "NOT_FOUND"
ERRORS = {
    "ERROR", "NOT_IMPLEMENTED", "UNEXPECTED_STATE", "BAD_REQUEST", "FORBIDDEN",
    "SERVICE_UNAVAILABLE", "TEMPORARY_FAILURE", "FAILED",
}  # fmt: skip
"""Names of YCSB's `Status`, beside success and a missing record."""
START = re.compile(r"^#\[StartTime: ([\d.]+) ")
LINE = re.compile(r"^([\d.]+),([\d.]+),([\d.]+),(\S+)$")
NS_PER_US = 1000
SHORT = 0.5
"""Share of an interval that is not worth being one: it belongs to the one beside it. YCSB's first
status line comes at once, its last when the last thread has ended."""

Key = tuple[str, str, bool]
"""Operation, outcome (empty: success), whether the time counts from when it was due."""


def key_of(name: str) -> Key | None:
    """What a measurement is of; None: of nothing that is counted here.

    :param name: for example `Intended-READ-NOT_FOUND`.
    """
    intended = name.startswith(INTENDED)
    name = name.removeprefix(INTENDED)
    if name in NAMES:
        return NAMES[name], "", intended
    operation, _, outcome = name.rpartition("-")
    if operation in NAMES and (outcome in ERRORS or outcome == NOT_FOUND):
        return NAMES[operation], outcome, intended
    return None


@dataclass
class _Gathered:
    start_us: int
    end_us: int
    counts: dict[Key, dict[int, int]]
    cpu_us: int

    @property
    def length_us(self) -> int:
        return self.end_us - self.start_us

    def add(self, other: "_Gathered") -> None:
        self.start_us = min(self.start_us, other.start_us)
        self.end_us = max(self.end_us, other.end_us)
        self.cpu_us += other.cpu_us
        self.add_counts(other.counts)

    def add_counts(self, others: Mapping[Key, Mapping[int, int]]) -> None:
        for key, counts in others.items():
            mine = self.counts.setdefault(key, {})
            for value, count in counts.items():
                mine[value] = mine.get(value, 0) + count

    def without_due(self) -> dict[Key, dict[int, int]]:
        """Take out what was timed from sending alone, its times from when it was due not being
        there yet: YCSB closes its logs one after the other, and an answer that came in between
        stands in one of them an interval earlier than in the other.
        """
        early = [key for key in self.counts if not key[2] and (*key[:2], True) not in self.counts]
        return {key: self.counts.pop(key) for key in early}


@dataclass
class HistogramLogs:
    """The logs of one run.

    :param directory: where nothing but they are, as `NAME.hdr`.
    :param operations: those that count; halves of others do not.
    :param interval_us: of a status line.
    :param due: whether each answer is timed from when it was due, too; it is counted by that.
    """

    directory: Path
    operations: frozenset[str]
    interval_us: int
    due: bool = False
    _offsets: dict[str, int] = field(default_factory=dict)
    _begun: dict[str, float] = field(default_factory=dict)
    _cpu_us: int = 0
    _told_to_us: int = 0
    _pending: _Gathered | None = None

    def grown(self, cpu_us: int) -> Iterator[Slice]:
        """The interval before the one that was written just now.

        :param cpu_us: processor time that YCSB has used up to now.
        :raises DriverFailed: when a line is not of the format.
        """
        found = self._gathered(cpu_us)
        if found is None:
            return
        last = self._pending
        if last is None:
            self._pending = found
        elif min(last.length_us, found.length_us) < SHORT * self.interval_us:
            last.add(found)
        else:
            found.add_counts(last.without_due() if self.due else {})
            yield self._slice(last)
            self._pending = found

    def rest(self, cpu_us: int) -> Iterator[Slice]:
        """The last interval, when YCSB has ended."""
        found = self._gathered(cpu_us)
        if found is not None:
            if self._pending is None:
                self._pending = found
            else:
                self._pending.add(found)
        if self._pending is not None:
            self._pending.cpu_us += max(0, cpu_us - self._cpu_us)
            yield self._slice(self._pending)
            self._pending = None

    def _gathered(self, cpu_us: int) -> _Gathered | None:
        found: _Gathered | None = None
        for path in sorted(self.directory.glob("*.hdr")):
            key = key_of(path.stem)
            if key is None or key[0] not in self.operations:
                continue
            for start_us, end_us, counts in self._lines(path):
                part = _Gathered(start_us, end_us, {key: counts}, 0)
                if found is None:
                    found = part
                else:
                    found.add(part)
        if found is not None:
            found.cpu_us = max(0, cpu_us - self._cpu_us)
            self._cpu_us = cpu_us
        return found

    def _lines(self, path: Path) -> Iterator[tuple[int, int, dict[int, int]]]:
        name = path.stem
        with path.open("rb") as file:
            file.seek(self._offsets.get(name, 0))
            text = file.read()
        end = text.rfind(b"\n") + 1
        self._offsets[name] = self._offsets.get(name, 0) + end
        for line in text[:end].decode("ascii", errors="replace").splitlines():
            if (start := START.match(line)) is not None:
                self._begun[name] = float(start[1])
            if line.startswith(("#", '"')):
                continue
            found = LINE.match(line)
            if found is None:
                raise _unreadable(line)
            try:
                counts = decoded(found[4], unit_ns=NS_PER_US)
            except HistogramUnreadable as error:
                raise _unreadable(line) from error
            begun = self._begun.get(name, 0.0) + float(found[1])
            ended = begun + float(found[2])
            yield round(begun * US_PER_SECOND), round(ended * US_PER_SECOND), counts

    def _slice(self, found: _Gathered) -> Slice:
        # YCSB closes its logs one after the other, within some ms.
        start_us = max(found.start_us, self._told_to_us)
        self._told_to_us = max(start_us, found.end_us)
        operations: dict[str, OperationInterval] = {}
        for operation in dict.fromkeys(key[0] for key in found.counts):
            missing = _answers(found, operation, NOT_FOUND)
            errors = {
                outcome.lower(): answers
                for outcome in sorted(ERRORS)
                if (answers := _answers(found, operation, outcome)) is not None
            }
            operations[operation] = OperationInterval(
                ok=_answers(found, operation, ""), not_found=missing, errors=errors
            )
        return Slice(
            start_us=start_us,
            duration_us=max(1, found.end_us - start_us),
            operations=operations,
            driver=DriverSelf(cpu_us=found.cpu_us),
        )


def _unreadable(line: str) -> DriverFailed:
    return DriverFailed(
        f"YCSB logged what is not known: {line[:80]!r}",
        "YCSB 0.17.0 with HdrHistogram 2.1.12 is known",
    )


def _answers(found: _Gathered, operation: str, outcome: str) -> Recorded | None:
    service = found.counts.get((operation, outcome, False))
    response = found.counts.get((operation, outcome, True))
    if not (service or response):
        return None
    if not response:
        return recorded(service or {})
    return recorded(response).model_copy(update={"service": recorded(service or {}).response})
