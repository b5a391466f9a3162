"""A part of the platform: a child process with a log, a readiness check, and a clean end."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from weighhouse_cli.embedded.errors import PartFailed

POLL_SECONDS = 0.1
LOG_TAIL = 15
LOG_BYTES = 10_000_000
"""A log that is longer is put aside when its part starts; one generation is kept."""
ORPHAN_SECONDS = 5.0
SETPRIV = shutil.which("setpriv")


Signature = tuple[int, int] | None
"""Tells one state of a file from another: its inode and last change; None when it is not there."""


@dataclass(frozen=True, slots=True)
class Dispensable:
    """Of a part that the platform goes on without: when it is gone for good, and what brings it
    back.
    """

    hint: str
    """What is missing meanwhile, and what brings it back, in words."""
    final: frozenset[int] = frozenset()
    """Exit statuses after which it is not started again."""
    renewed_by: Path | None = None
    """A file that is written anew when the part is to be started again."""


@dataclass(frozen=True, slots=True)
class PartPlan:
    """How a part is started, known to be ready, and stopped."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    log: Path
    record: Path
    """File that names the running process, so that the next start finds what a crash left."""
    ready: Callable[[], bool]
    ready_seconds: float = 60.0
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 15.0
    account: str | None = None
    """System account to run as; None: our own."""
    territory: Path | None = None
    """A folder in which nobody works once the part has stopped: databases and drivers of an
    attempt that outlived its agent are ended, whoever their parent is by then."""
    dispensable: Dispensable | None = None
    """None: without this part the platform is of no use."""
    foreground: bool = False
    """It reads from and writes to the terminal of the caller in place of its log."""


@dataclass(slots=True)
class Part:
    """A plan and the process that runs it now."""

    plan: PartPlan
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    started_at: float = field(default=0.0)
    gone: str = ""
    """Why it is not started again; empty: it runs, or soon does."""
    again_at: float | None = None
    """When one that is gone is tried again all the same, by the monotonic clock; None: never."""
    began_with: Signature = None
    """Of the file that renews it, when the process was started."""
    kill_at: float | None = None
    """Of one that is to begin anew: until when it may take to end, by the monotonic clock."""

    def start(self) -> None:
        """Start the process; does not wait until it is ready.

        It gets a session of its own, so that Ctrl-C in the terminal reaches the supervisor alone,
        and ends when the thread that started it ends, so that a killed supervisor leaves nothing.
        """
        plan = self.plan
        # setpriv becomes the command itself, so the process that is started is the part.
        tether = (SETPRIV, "--pdeathsig", plan.stop_signal.name, "--") if SETPRIV else ()
        _rotate(plan.log)
        self.began_with = self._renewal()
        with plan.log.open("ab") as log:
            self.process = subprocess.Popen(
                (*tether, *plan.command),
                cwd=plan.directory,
                env=dict(plan.environment),
                stdin=None if plan.foreground else subprocess.DEVNULL,
                stdout=None if plan.foreground else log,
                stderr=None if plan.foreground else subprocess.STDOUT,
                start_new_session=True,
                user=plan.account,
                group=plan.account,
                extra_groups=[] if plan.account else None,
            )
        self.starts += 1
        self.started_at = time.monotonic()
        record = {"pid": self.process.pid, "born": birth(self.process.pid), "name": plan.name}
        plan.record.write_text(json.dumps(record), encoding="utf-8")

    def ask_to_begin_anew(self) -> None:
        """Have the process end, so that whoever looks after it starts it again; does not wait."""
        self.kill_at = time.monotonic() + self.plan.stop_seconds
        if self.process is not None and self.alive():
            self.process.send_signal(self.plan.stop_signal)

    def alive(self) -> bool:
        """Whether the process runs; reaps it when it does not."""
        return self.process is not None and self.process.poll() is None

    def ended_for_good(self) -> bool:
        """Whether it ended in a way that starting it again does not mend."""
        final = self.plan.dispensable.final if self.plan.dispensable else frozenset()
        return self.process is not None and self.process.returncode in final

    def renewed(self) -> bool:
        """Whether what it lacked has been brought since it was started."""
        return self._renewal() != self.began_with

    def _renewal(self) -> Signature:
        if self.plan.dispensable is None or self.plan.dispensable.renewed_by is None:
            return None
        try:
            stat = self.plan.dispensable.renewed_by.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_mtime_ns

    def wait_ready(self) -> None:
        """Wait until the part answers.

        :raises PartFailed: when it ends first or takes too long, with the end of its log.
        """
        until = time.monotonic() + self.plan.ready_seconds
        while time.monotonic() < until:
            if not self.alive():
                code = self.process.returncode if self.process else None
                raise PartFailed(self.plan.name, f"ended with status {code}", tail(self.plan.log))
            if self.plan.ready():
                return
            time.sleep(POLL_SECONDS)
        raise PartFailed(
            self.plan.name,
            f"was not ready within {self.plan.ready_seconds:.0f} s",
            tail(self.plan.log),
        )

    def stop(self) -> None:
        """End the process and everything below it: politely, then for certain. Repeatable."""
        if self.process is None:
            return
        below = _descendants(self.process.pid)
        if self.alive():
            self.process.send_signal(self.plan.stop_signal)
            try:
                self.process.wait(self.plan.stop_seconds)
            except subprocess.TimeoutExpired:
                below = [*below, *_descendants(self.process.pid)]
                self.process.kill()
                self.process.wait()
        self.sweep()
        _end([*below, *_inhabitants(self.plan.territory)])
        self.plan.record.unlink(missing_ok=True)

    def clear(self) -> None:
        """End what an ended process left of its group and in its territory."""
        self.sweep()
        _end(_inhabitants(self.plan.territory))

    def sweep(self) -> None:
        """End what an ended process left of its group."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _inhabitants(territory: Path | None) -> list[psutil.Process]:
    if territory is None:
        return []
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if Path(process.cwd()).is_relative_to(territory):
                found.append(process)
    return found


def _end(processes: list[psutil.Process]) -> None:
    """End what outlived its parent; psutil knows a reused pid from the process it met."""
    living = [process for process in processes if _runs(process)]
    for process in living:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, stubborn = psutil.wait_procs(living, timeout=ORPHAN_SECONDS)
    for process in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _rotate(log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))


def birth(pid: int) -> int | None:
    """When a process was started, in clock ticks since boot; None when it is gone or a zombie.

    Field 22 of /proc/PID/stat, proc(5); with the pid it names a process for certain.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rsplit(")", 1)[-1].split()
    return None if fields[0] == "Z" else int(fields[19])


def end_leftover(record: Path, stop_signal: signal.Signals, seconds: float = 15.0) -> bool:
    """End the process that a crashed supervisor left, if the record still names it.

    :returns: whether there was one.
    """
    if not record.exists():
        return False
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
        pid, born = int(found["pid"]), found["born"]
    except (ValueError, KeyError):
        record.unlink(missing_ok=True)
        return False
    if born is None or birth(pid) != born:
        record.unlink(missing_ok=True)
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, stop_signal)
        until = time.monotonic() + seconds
        while birth(pid) == born and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
        os.killpg(pid, signal.SIGKILL)
    record.unlink(missing_ok=True)
    return True


def tail(log: Path, lines: int = LOG_TAIL) -> list[str]:
    """The last lines of a log file."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 16_384))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-lines:]
