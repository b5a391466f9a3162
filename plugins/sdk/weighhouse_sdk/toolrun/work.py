"""What a tool is given for a phase, and what it tells of it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.counts import Counts
from weighhouse_protocol.driver import DriverOrder, DriverSelf, OperationInterval, Recorded

from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.errors import TargetInvalid
from weighhouse_sdk.kept_files import KEPT, OUTPUT, unlike
from weighhouse_sdk.machine.procfs import process_stat
from weighhouse_sdk.toolrun.histograms import encoded

TAIL_LINES = 20
MOST_OUTPUT_BYTES = 16 << 20
MOST_REPORTS = 50
"""Of an order; a tool that is run again and again writes as many as it runs."""
SHOWN_LENGTH = 2000
"""Of a command line, in the log."""
US_PER_SECOND = 1_000_000


@dataclass(frozen=True)
class Slice:
    """A stretch of time in which the tool measured."""

    start_us: int
    """Unix time, µs."""
    duration_us: int
    operations: Mapping[str, OperationInterval]
    driver: DriverSelf = field(default_factory=DriverSelf)
    counted: Counts | None = None
    """Of a tool with the system inside: what that counted of its own work meanwhile."""


class Output:
    """All that a tool prints, kept: what comes after the most is left out, and a line says so.

    :param folder: made when it is not there; of one order, so that all runs go into one file.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / OUTPUT).open("ab")
        self._left = MOST_OUTPUT_BYTES - self._file.tell()

    def line(self, text: str) -> None:
        """Keep a line."""
        if self._left <= 0:
            return
        raw = text.encode() + b"\n"
        self._left -= len(raw)
        self._file.write(raw if self._left > 0 else b"[the rest is left out]\n")

    def close(self) -> None:
        """No more lines come."""
        self._file.close()


class Child:
    """The tool at work: one process, whose output is read line by line.

    :param output: where each line is kept.
    """

    def __init__(
        self, arguments: Sequence[str], directory: Path, environment: Mapping[str, str],
        output: Output,
    ) -> None:  # fmt: skip
        self._output = output
        self._clock = SystemClock()
        self.begun_us = self._clock.now_us()
        self.tail: list[str] = []
        """Its last lines."""
        self._cpu_us = 0
        self._popen = subprocess.Popen(
            list(arguments),
            cwd=directory,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def lines(self) -> Iterator[str]:
        """Its output and error output, without line ends, until it ends. A line that was written
        over by a carriage return is a line too.
        """
        pipe = self._popen.stdout
        if pipe is None:
            return
        pending = b""
        while chunk := os.read(pipe.fileno(), 1 << 16):
            *whole, pending = (pending + chunk).replace(b"\r", b"\n").split(b"\n")
            yield from map(self._kept, whole)
        if pending:
            yield self._kept(pending)

    def wait(self) -> int:
        """Wait for its end; the exit code, negative for a signal."""
        if self._popen.returncode is None:
            _, status, used = os.wait4(self._popen.pid, 0)
            self._popen.returncode = os.waitstatus_to_exitcode(status)
            self._cpu_us = round((used.ru_utime + used.ru_stime) * US_PER_SECOND)
        return self._popen.returncode

    def now_us(self) -> int:
        """Unix time by the attempt's clock, µs."""
        return self._clock.now_us()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; no error when it has ended."""
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._popen.pid, number)

    def end(self) -> None:
        """End it at once, and give its pipe up. Idempotent."""
        self.signal(signal.SIGKILL)
        self.wait()
        if self._popen.stdout is not None:
            self._popen.stdout.close()

    @property
    def cpu_us(self) -> int:
        """Processor time it has used up to now, µs."""
        if self._popen.returncode is not None:
            return self._cpu_us
        stat = process_stat(self._popen.pid)
        return round(stat.cpu_seconds * US_PER_SECOND) if stat is not None else 0

    def _kept(self, raw: bytes) -> str:
        line = raw.decode("utf-8", errors="replace").rstrip()
        self._output.line(line)
        if line:
            self.tail = [*self.tail[1 - TAIL_LINES :], line]
        return line


@dataclass
class Work:
    """An order, the program that carries it out, and whether to go on."""

    order: DriverOrder
    """Its options without those that the agent alone gives."""
    program: Path
    directory: Path
    """Where the tool works, and may write."""
    stopped: bool = False
    """Whether somebody asked to end with what was measured."""
    stop_signal: signal.Signals = signal.SIGTERM
    """What the tool takes as a wish that it ends and tells what it has measured."""
    rate_per_second: float | None = None
    """How fast it went last, for a tool that has to be told how many operations to do."""
    _child: Child | None = field(default=None, repr=False)

    @property
    def options(self) -> Mapping[str, Scalar]:
        """The driver's options of the target."""
        return self.order.target.options

    @property
    def endpoints(self) -> tuple[SplitResult, ...]:
        """Where the system is."""
        return tuple(urlsplit(each) for each in self.order.target.endpoints)

    @property
    def endpoint(self) -> SplitResult:
        """Where the system is, when it is at one place.

        :raises TargetInvalid: when it is at several.
        """
        if len(self.endpoints) > 1:
            raise TargetInvalid([("endpoints", "the tool connects to one")])
        return self.endpoints[0]

    def stop(self) -> None:
        """Ask the tool to end. Called by a signal handler."""
        self.stopped = True
        if self._child is not None:
            self._child.signal(self.stop_signal)

    @contextlib.contextmanager
    def running(
        self, arguments: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> Iterator[Child]:
        """Run the tool; it has ended when the block is left.

        :param arguments: after the program.
        :param environment: beside this process's own; what must not stand in a command line.
        """
        command = [str(self.program), *arguments]
        told = "+ " + " ".join(command)
        print(told[:SHOWN_LENGTH], file=sys.stderr, flush=True)  # noqa: T201 - the log
        with contextlib.closing(Output(self.directory / KEPT)) as output:
            output.line(told)
            child = Child(command, self.directory, environment or {}, output)
            self._child = child
            if self.stopped:
                child.signal(self.stop_signal)
            try:
                yield child
            finally:
                self._child = None
                child.end()

    def keep(self, file: Path, name: str) -> None:
        """Make a file that the tool wrote one of the run's; no error when it is not there. Beyond
        the most that are kept it is removed.

        :param name: another one is `name-2`, and so on.
        """
        folder = self.directory / KEPT
        folder.mkdir(parents=True, exist_ok=True)
        others = {each.name for each in folder.iterdir()}
        if len(others - {OUTPUT}) >= MOST_REPORTS:
            file.unlink(missing_ok=True)
            return
        with contextlib.suppress(FileNotFoundError):
            file.rename(folder / unlike(name, others))


def recorded(counts: Mapping[int, int]) -> Recorded:
    """Answers with their times.

    :param counts: time in ns → how many.
    """
    return Recorded(count=sum(counts.values()), response=encoded(counts))
