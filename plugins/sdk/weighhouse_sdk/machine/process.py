"""Runs the processes of a deployment, and finds them again after a crash."""

import contextlib
import json
import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from weighhouse_protocol.text import mended

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine import launch
from weighhouse_sdk.machine.access import ready_directory, refuse_unless_open
from weighhouse_sdk.machine.cgroups import ControlGroup
from weighhouse_sdk.machine.procfs import (
    boot_id,
    is_alive,
    process_stat,
    session_members,
    wait_for_end,
)
from weighhouse_sdk.machine.remains import Leftover
from weighhouse_sdk.machine.resource_usage import Usage, process_usage

LOG_TAIL_BYTES = 65_536
KILL_SECONDS = 10.0
"""How long the kernel may take to carry out SIGKILL."""


@dataclass(frozen=True)
class Command:
    """A process to start."""

    name: str
    """Unique among the context's processes; names log and record."""
    arguments: tuple[str, ...]
    """The first one is the program's absolute path. Never a shell string."""
    directory: Path
    """Its working directory, made when it is not there; below the context's."""
    users: tuple[str, ...] = ()
    """When this process is root, become the first of these that exists; empty: stay."""
    cpus: frozenset[int] | None = None
    """Processors to pin it to; None: all."""
    group: ControlGroup | None = None
    """Joined before the program begins; removed when the process is stopped for good."""

    @property
    def line(self) -> str:
        """The command line, quoted as for a shell."""
        return shlex.join(self.arguments)


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    exit_code: int | None
    """Negative for a signal; None: somebody else's child."""
    killed: bool
    """Whether SIGTERM was not enough."""


class Reservation:
    """A free port, kept from everybody but the server that is told of it.

    The socket is bound but does not listen: the operating system gives its port to no one who
    asks for any port, while a server that sets SO_REUSEADDR, as servers do, may listen on it.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise DeployFailed(
                f"port {port} of {host} cannot be used: {error.strerror}",
                "end what holds it, or let the operating system choose a port",
            ) from error
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self.beside: Reservation | None = None
        """Another one of the same server, given up together with this one."""

    def release(self) -> None:
        """Give the port up. Idempotent."""
        self._socket.close()
        if self.beside is not None:
            self.beside.release()


class ServerProcess:
    """A process that `Processes.start` started."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        command: Command,
        log: Path,
        record: Path,
        log_begin: int = 0,
    ) -> None:
        self._popen = popen
        self._record = record
        self.command = command
        self.log = log
        self._log_begin = log_begin
        self.reservation: Reservation | None = None
        """Port held for it until it ends."""

    @property
    def pid(self) -> int:
        """Of the process, and of its process group."""
        return self._popen.pid

    @property
    def name(self) -> str:
        """As its command has it."""
        return self.command.name

    @property
    def line(self) -> str:
        """The command line, quoted as for a shell."""
        return self.command.line

    @property
    def pids(self) -> frozenset[int]:
        """The process id; it is in no namespace of its own."""
        return frozenset({self.pid})

    def usage(self) -> Usage | None:
        """Of the process, as its forks share its pages."""
        return process_usage(self.pid)

    def limits(self) -> dict[str, str]:
        """What its control group keeps; empty when it has none."""
        return self.command.group.limits() if self.command.group else {}

    def reason(self) -> str:
        """Why it ended, when that was its limit of memory; else empty."""
        return self.command.group.reason() if self.command.group else ""

    @property
    def stdin(self) -> IO[bytes] | None:
        """Its standard input, when a pipe was asked for."""
        return self._popen.stdin

    @property
    def stdout(self) -> IO[bytes] | None:
        """Its standard output, when a pipe was asked for."""
        return self._popen.stdout

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""
        return self._popen.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait for its end, at most so long.

        :returns: the exit code; None when it still runs.
        """
        if self._popen.poll() is None:
            wait_for_end(self.pid, seconds)
        return self._popen.poll()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, to the process alone; no error when it has ended."""
        self._popen.send_signal(number)

    def kill(self) -> None:
        """SIGKILL to its whole group; returns when it has ended. What was held for it stays."""
        if self._popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self.wait(KILL_SECONDS)

    def pause(self) -> None:
        """SIGSTOP: it neither works nor answers, and keeps its connections."""
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT."""
        self.signal(signal.SIGCONT)

    def end(self, grace_seconds: float) -> Ended:
        """SIGTERM, wait, SIGKILL to whatever of its group is left. What was held for it stays, so
        that it can be started again. Idempotent.
        """
        # A pid is surely ours until its end was waited for; after that it may be anybody's.
        killed = False
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)
                os.kill(self.pid, signal.SIGCONT)  # One that is paused hears nothing.
            wait_for_end(self.pid, grace_seconds)
            stat = process_stat(self.pid)
            killed = stat is not None and stat.alive
            # What it forked may outlive it, to save data that is about to be removed.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        else:
            for orphan in session_members(self.pid, self.command.directory):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(orphan.pid, signal.SIGKILL)
        return Ended(self.wait(KILL_SECONDS), killed)

    def stop(self, grace_seconds: float) -> Ended:
        """As `end`, and for good: pipes, port, group and record are given up. Idempotent."""
        ended = self.end(grace_seconds)
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        if self.reservation is not None:
            self.reservation.release()
        if self.command.group is not None:
            self.command.group.remove()
        self._record.unlink(missing_ok=True)
        return ended

    def log_tail(self, lines: int = 20) -> tuple[str, ...]:
        """The last lines it wrote."""
        return log_tail(self.log, lines)

    def said(self, lines: int) -> tuple[str, ...]:
        """The last lines it wrote since it was started."""
        return log_tail(self.log, lines, self._log_begin)


class Processes:
    """Starts processes and keeps a record of each on disk.

    :param records: directory of the records, made when the first is written.
    :param root: directory that all of them work below.
    :param logs: where their output goes.
    """

    def __init__(self, records: Path, root: Path, logs: Path) -> None:
        self._records = records
        self._root = root
        self._logs = logs

    def start(
        self, command: Command, *, stdin: bool = False, stdout: bool = False
    ) -> ServerProcess:
        """Start a process in a session and process group of its own.

        Its standard error, and its output unless asked for, go to `NAME.log`; the log is kept
        when the process is started again.

        :param stdin: a pipe to write to; default: nothing to read.
        :param stdout: a pipe to read from.
        :raises DeployFailed: when the operating system refuses, or the account that it becomes may
            not use the program, its libraries or what its command line names.
        """
        self._records.mkdir(parents=True, exist_ok=True)
        user = first_user(command.users) if os.geteuid() == 0 else None
        ready_directory(command.directory, user)
        refuse_unless_open(command.arguments, user)
        record = self._records / f"{command.name}.json"
        log = self._logs / f"{command.name}.log"
        order = {
            "record": str(record),
            "directory": str(command.directory),
            "user": user,
            "cpus": sorted(command.cpus or ()),
            "groups": command.group.member_files if command.group else (),
            "facts": {
                "name": command.name,
                "boot_id": boot_id(),
                "directory": str(command.directory),
                "command": list(command.arguments),
            },
        }
        interpreter = [sys.executable, "-I", str(launch.__file__), json.dumps(order)]
        try:
            with log.open("ab") as output:
                log_begin = output.tell()
                popen = subprocess.Popen(
                    [*interpreter, *command.arguments],
                    stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                    stdout=subprocess.PIPE if stdout else output,
                    stderr=output,
                    start_new_session=True,
                )
        except OSError as error:
            raise DeployFailed(f"{command.name} could not be started: {error}") from error
        return ServerProcess(popen, command, log, record, log_begin)

    def leftovers(self) -> tuple[Leftover, ...]:
        """Processes on record that are alive, and what they forked. Reads only.

        One is ours when pid, start time and boot agree with its record; a fork of one that has
        ended, when it is of its session and works below our directory.
        """
        records = [record for record in self._read_records() if record["boot_id"] == boot_id()]
        found = []
        sessions = {}
        for record in records:
            pid, ticks = int(str(record["pid"])), int(str(record["start_ticks"]))
            stat = process_stat(pid)
            if stat is None or stat.start_ticks == ticks:
                sessions[pid] = str(record["name"])
            if is_alive(pid, ticks):
                found.append(Leftover(str(record["name"]), pid, ticks))
        for session, name in sessions.items():
            found += [
                Leftover(name, stat.pid, stat.start_ticks)
                for stat in session_members(session, self._root)
            ]
        return tuple(found)

    def remove_leftovers(self, grace_seconds: float) -> tuple[Leftover, ...]:
        """End what `leftovers` finds: SIGTERM, then SIGKILL; then forget the records.

        :returns: what was ended.
        :raises DeployFailed: when one survives SIGKILL; its record stays.
        """
        found = self.leftovers()
        for number, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, KILL_SECONDS)):
            end_at = time.monotonic() + seconds
            for each in found:
                if is_alive(each.pid, each.start_ticks):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(each.pid, number)
                        os.kill(each.pid, signal.SIGCONT)  # One that is paused hears nothing.
            for each in found:
                if is_alive(each.pid, each.start_ticks):
                    wait_for_end(each.pid, end_at - time.monotonic())
        survivors = [each for each in found if is_alive(each.pid, each.start_ticks)]
        if survivors:
            names = ", ".join(f"{each.name} (pid {each.pid})" for each in survivors)
            raise DeployFailed(
                f"still alive after SIGKILL: {names}", "look at the disk it waits for"
            )
        shutil.rmtree(self._records, ignore_errors=True)
        return found

    def _read_records(self) -> list[dict[str, object]]:
        return [
            json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(self._records.glob("*.json"))
        ]


def log_tail(path: Path, lines: int = 20, begin: int = 0) -> tuple[str, ...]:
    """The last lines of a log that are not empty; none when it is not there.

    :param begin: where in the file they begin at the earliest.
    """
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(begin, file.tell() - LOG_TAIL_BYTES))
            text = mended(file.read().decode("utf-8", errors="replace"))
    except FileNotFoundError:
        return ()
    return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-lines:]


def first_user(names: Sequence[str]) -> str | None:
    """The first of these that this machine has."""
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in names if name in known), None)
