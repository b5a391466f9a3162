"""The spool: numbered events, one JSON document a line.

Written by the attempt's process, read by the agent. A line counts once its newline is there; a
torn last line, left by a crash, never does.
"""

import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from weighhouse_protocol.chain_links import numbered
from weighhouse_protocol.report import AttemptEvent
from weighhouse_protocol.text import mended_json
from weighhouse_sdk.context import Clock

from weighhouse_agent.machine.disk_space import disk_full, is_full
from weighhouse_agent.machine.home import SECRET, AttemptDirectory

BATCH_EVENTS = 400
BATCH_BYTES = 4 << 20
CHUNK_BYTES = 1 << 20
PHASE_START = b'{"kind":"phase",'


class SpoolWriter:
    """Appends events; safe to use from several threads.

    :param path: must not exist: an attempt is carried out once.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, SECRET)
        self._directory = AttemptDirectory(path.parent)
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._size = 0
        self._clock = clock
        self._lock = threading.Lock()
        self.count = 0
        """Events appended so far."""

    def append(self, make: Callable[[int, int], AttemptEvent]) -> None:
        """Append one event, and hand it to the operating system.

        :param make: gets the sequence number and the time (unix, µs).
        :raises DiskFull: when there is no room for it; the spool is as it was.
        """
        with self._lock:
            event = make(self.count, self._clock.now_us())
            line = mended_json(event).encode() + b"\n"
            self._write(line)
            self._size += len(line)
            self.count += 1

    def _write(self, line: bytes) -> None:
        try:
            left = memoryview(line)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            os.ftruncate(self._file.fileno(), self._size)
            if not is_full(error):
                raise
            raise disk_full(self._directory, f"event {self.count}") from error

    def close(self) -> None:
        """Bring everything to disk. Idempotent."""
        with self._lock:
            if not self._file.closed:
                os.fsync(self._file.fileno())
                self._file.close()


class SpoolReader:
    """Reads a spool that grows; knows where each event lies, keeps none in memory.

    Safe to use from several threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._starts = [0]
        """Where each line begins; one more than there are events."""
        self._damaged = False
        self.phase: str | None = None
        """The run's phase that was entered last."""
        self.phases: dict[str, int] = {}
        """Phase → when it was entered, unix time µs; of a chain, `measure 2` and so on."""
        self._entered: list[str] = []

    @property
    def count(self) -> int:
        """Events that `refresh` has seen."""
        return len(self._starts) - 1

    def bytes_from(self, sequence: int) -> int:
        """Bytes of the events seen, from a sequence number on."""
        with self._lock:
            return self._starts[-1] - self._starts[min(sequence, self.count)]

    @property
    def damaged(self) -> bool:
        """Whether a line is not an event, or out of order: nothing counts from there on."""
        return self._damaged

    def refresh(self) -> int:
        """Look for what was appended.

        :returns: the number of events so far.
        """
        with self._lock:
            if self._damaged:
                return self.count
            try:
                with self._path.open("rb") as file:
                    file.seek(self._starts[-1])
                    while lines := file.readlines(CHUNK_BYTES):
                        for line in lines:
                            if not self._take(line):
                                return self.count
            except FileNotFoundError:
                return 0
            return self.count

    def _take(self, line: bytes) -> bool:
        if not line.endswith(b"\n"):
            return False
        try:
            event = json.loads(line)
            fits = event["sequence"] == self.count
        except (ValueError, KeyError, TypeError):
            fits = False
        if not fits:
            self._damaged = True
            return False
        if line.startswith(PHASE_START):
            self.phase = event["phase"]
            self._entered.append(event["phase"])
            self.phases[numbered(self._entered)[-1]] = event["at_us"]
        self._starts.append(self._starts[-1] + len(line))
        return True

    def batch(self, first: int, most_events: int = BATCH_EVENTS) -> Sequence[bytes]:
        """The lines from one sequence number on, at most a batch; empty when there are none.

        A single event that is larger than a batch may be goes alone.
        """
        with self._lock:
            last = min(self.count, first + most_events)
            while last > first + 1 and self._starts[last] - self._starts[first] > BATCH_BYTES:
                last = first + (last - first) // 2
            if last <= first:
                return ()
            begin, end = self._starts[first], self._starts[last]
            sizes = [self._starts[n + 1] - self._starts[n] for n in range(first, last)]
        with self._path.open("rb") as file:
            file.seek(begin)
            data = file.read(end - begin)
        lines = []
        place = 0
        for size in sizes:
            lines.append(data[place : place + size - 1])
            place += size
        return lines
