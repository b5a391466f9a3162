"""Watches the process of an attempt to its end, and makes it end when it must.

Whether this agent started the process or found it is all the same: it is known by pid, start time
and boot, held by a pidfd, which no other process can take over.
"""

import os
import select
import signal
import threading
import time
from dataclasses import dataclass, field
from typing import Self

import structlog
from pydantic import ValidationError
from weighhouse_protocol.order import Timings
from weighhouse_protocol.report import FailureKind
from weighhouse_sdk.machine.procfs import PROC, TICKS_PER_SECOND, boot_id, is_alive

from weighhouse_agent.attempt.process import Record, StopRequest
from weighhouse_agent.machine.disk_space import write_essential
from weighhouse_agent.machine.home import AttemptDirectory, read_text

LOG = structlog.get_logger("weighhouse_agent")
HARD_LIMIT_SECONDS = 60.0
"""Beyond the run's own limit, which its process keeps by itself."""
KERNEL_SECONDS = 10.0
"""Between two tries to kill."""


def record_of(directory: AttemptDirectory) -> Record | None:
    """Which process carries, or carried, an attempt out; None: none has begun."""
    text = read_text(directory.process)
    try:
        return None if text is None else Record.model_validate_json(text)
    except ValidationError:
        return None


def runs(record: Record) -> bool:
    """Whether that very process runs; a zombie does not."""
    return record.boot_id == boot_id() and is_alive(record.pid, record.start_ticks)


def age_seconds(record: Record) -> float:
    """How long ago a process of this boot was started."""
    uptime = float((PROC / "uptime").read_text(encoding="ascii").split()[0])
    return max(0.0, uptime - record.start_ticks / TICKS_PER_SECOND)


@dataclass
class Watch:
    """One process, watched by one thread; others may ask it to stop.

    :param limit_seconds: the run's own limit.
    """

    directory: AttemptDirectory
    record: Record
    timings: Timings
    limit_seconds: float
    ended: threading.Event = field(default_factory=threading.Event)
    """Set when the process has ended."""
    _wake: int = field(default_factory=lambda: os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _asked_at: float | None = None
    _kill: bool = False

    @classmethod
    def of(cls, directory: AttemptDirectory, timings: Timings, limit_seconds: float) -> Self | None:
        """A watch of the process on record; None when none runs."""
        record = record_of(directory)
        if record is None or not runs(record):
            return None
        return cls(directory, record, timings, limit_seconds)

    def ask_to_stop(
        self, kind: FailureKind, message: str, hint: str = "", *, kill: bool = False
    ) -> None:
        """Ask the process to stop: teardown in good order, then SIGTERM, then SIGKILL.

        Repeatable: the first reason stands, and `kill` shortens what was begun.

        :param kind: `cancelled` makes the attempt a cancelled one, anything else a failed one.
        :param kill: begin with SIGTERM.
        """
        with self._lock:
            if self.ended.is_set() or (self._asked_at is not None and (self._kill or not kill)):
                return
            if not self.directory.request.exists():
                request = StopRequest(kind=kind, message=message, hint=hint)
                try:
                    write_essential(
                        self.directory.home, self.directory.request, request.model_dump_json()
                    )
                except OSError as error:
                    LOG.warning("the reason to stop could not be kept", reason=str(error))
            self._asked_at = time.monotonic() if self._asked_at is None else self._asked_at
            self._kill = kill
            os.eventfd_write(self._wake, 1)

    def until_ended(self) -> None:
        """Block until the process has ended, keeping to the hard limit and to what was asked."""
        try:
            process = os.pidfd_open(self.record.pid)
        except ProcessLookupError:
            self._over()
            return
        try:
            if runs(self.record):
                self._until_ended(process)
        finally:
            os.close(process)
            self._over()

    def _over(self) -> None:
        with self._lock:
            if not self.ended.is_set():
                self.ended.set()
                os.close(self._wake)

    def _until_ended(self, process: int) -> None:
        poll = select.poll()
        poll.register(process, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        left = self.limit_seconds + HARD_LIMIT_SECONDS - age_seconds(self.record)
        limit_at = time.monotonic() + left
        sent_at: dict[signal.Signals, float] = {}
        while True:
            next_at, number = self._next_step(sent_at, limit_at)
            ready = dict(poll.poll(max(0.0, next_at - time.monotonic()) * 1000 + 1))
            if process in ready:
                return
            if self._wake in ready:
                os.eventfd_read(self._wake)
                continue
            if time.monotonic() < next_at:
                continue
            if number is None:
                self.ask_to_stop(
                    "timeout",
                    f"the run took longer than its limit of {self.limit_seconds:g} s",
                    "its own process did not see to it; give the run more time or find out why",
                )
                continue
            LOG.info("signal to attempt", attempt=self.directory.attempt_id, signal=number.name)
            signal.pidfd_send_signal(process, number)
            sent_at[number] = time.monotonic()

    def _next_step(
        self, sent_at: dict[signal.Signals, float], limit_at: float
    ) -> tuple[float, signal.Signals | None]:
        """When to do what next; no signal: the hard limit."""
        with self._lock:
            asked_at, kill = self._asked_at, self._kill
        if asked_at is None:
            return limit_at, None
        now = time.monotonic()
        if not kill and signal.SIGUSR1 not in sent_at:
            return now, signal.SIGUSR1
        if signal.SIGTERM not in sent_at:
            return (now if kill else asked_at + self.timings.teardown_seconds), signal.SIGTERM
        if signal.SIGKILL not in sent_at:
            return sent_at[signal.SIGTERM] + self.timings.term_seconds, signal.SIGKILL
        return sent_at[signal.SIGKILL] + KERNEL_SECONDS, signal.SIGKILL
