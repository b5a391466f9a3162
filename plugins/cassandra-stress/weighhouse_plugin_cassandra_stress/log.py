"""Reads the histogram log of cassandra-stress while it grows.

Format: HdrHistogram's interval log, version 1.3, with a tag for each operation and kind of time:
`READ-st` service time, `READ-rt` response time; values in ns.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weighhouse_protocol.driver import OperationInterval, Recorded
from weighhouse_sdk.errors import DriverFailed
from weighhouse_sdk.toolrun.histograms import HistogramUnreadable, decoded
from weighhouse_sdk.toolrun.work import US_PER_SECOND, Slice, recorded

LINE = re.compile(r"^Tag=(READ|WRITE)-(\w\w),([\d.]+),([\d.]+),([\d.]+),(\S+)$")
SERVICE, RESPONSE = "st", "rt"


@dataclass
class HistogramLog:
    """The log, and what of it was read.

    :param names: `READ`, `WRITE` → the workload's operations.
    :param begun_us: unix time at which the first interval begins, µs: the log's own clock has
        whole seconds.
    """

    path: Path
    names: dict[str, str]
    begun_us: int = 0
    _first_seconds: float | None = None
    _offset: int = 0
    _at: tuple[float, float] | None = None
    _pending: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)

    def grown(self) -> Iterator[Slice]:
        """Intervals that are whole by now.

        :raises DriverFailed: when a line is not of the format.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                text = file.read()
        except FileNotFoundError:
            return
        end = text.rfind(b"\n") + 1
        self._offset += end
        for line in text[:end].decode("ascii", errors="replace").splitlines():
            if not line.startswith("Tag="):
                continue
            found = LINE.match(line)
            if found is None:
                raise _unreadable(line)
            at = (float(found[3]), float(found[4]))
            if self._at != at:
                yield from self.rest()
                self._at = at
            try:
                self._pending[found[1], found[2]] = decoded(found[6])
            except HistogramUnreadable as error:
                raise _unreadable(line) from error

    def rest(self) -> Iterator[Slice]:
        """The last interval."""
        if self._at is None or not self._pending:
            return
        start, length = self._at
        if self._first_seconds is None:
            self._first_seconds = start
        operations = {}
        for kind in dict.fromkeys(kind for kind, _ in self._pending):
            operations[self.names[kind]] = OperationInterval(ok=self._answers(kind))
        self._pending = {}
        yield Slice(
            start_us=self.begun_us + round((start - self._first_seconds) * US_PER_SECOND),
            duration_us=max(1, round(length * US_PER_SECOND)),
            operations=operations,
        )

    def _answers(self, kind: str) -> Recorded:
        service = recorded(self._pending.get((kind, SERVICE), {}))
        response = self._pending.get((kind, RESPONSE))
        if not response:
            return service
        return recorded(response).model_copy(update={"service": service.response})


def _unreadable(line: str) -> DriverFailed:
    return DriverFailed(
        f"cassandra-stress logged what is not known: {line[:80]!r}",
        "version 4.0 of cassandra-stress is known",
    )
