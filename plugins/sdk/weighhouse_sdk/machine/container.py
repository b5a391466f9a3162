"""One container as a node's body."""

import contextlib
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docker.errors import APIError, NotFound
from docker.models import containers as library
from weighhouse_protocol.text import mended

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.cgroups import group_of, limit_reached
from weighhouse_sdk.machine.images import Engine, Image
from weighhouse_sdk.machine.limits import cpu_text, kept, memory_text
from weighhouse_sdk.machine.process import KILL_SECONDS, Command, Ended, Reservation, log_tail
from weighhouse_sdk.machine.procfs import (
    PROC,
    executable_of,
    is_alive,
    process_stat,
    process_tree,
    wait_for_end,
)
from weighhouse_sdk.machine.resource_usage import Usage, process_usage

NANO = 1_000_000_000
SIGNALLED = 128
"""A shell's way, and Docker's, to tell a signal: this and its number."""
MEMORY_LIMIT = "limits.memory"


class Container:
    """A container that `Containers.start` started; a `nodes.Body`."""

    def __init__(
        self,
        engine: Engine,
        handle: library.Container,
        command: Command,
        image: Image,
        log: Path,
        record: Path,
        line: str,
    ) -> None:
        self._engine = engine
        self._handle = handle
        self._record = record
        self._line = line
        self._exit_code: int | None = None
        self._ended: Ended | None = None
        self.command = command
        self.image = image
        self.log = log
        self.reservation: Reservation | None = None
        self.pid = int(self._state().get("Pid", 0))
        """Of its first process, as this machine counts; 0 when it ended before it was seen."""
        stat = process_stat(self.pid) if self.pid else None
        self._start_ticks = stat.start_ticks if stat else 0
        self._seen_here()

    @property
    def name(self) -> str:
        """As its command has it."""
        return self.command.name

    @property
    def line(self) -> str:
        """The command line that would start the same, quoted as for a shell."""
        return self._line

    @property
    def pids(self) -> frozenset[int]:
        """Of all processes in it, in each namespace that they are in: a server need not be the
        container's first.
        """
        return frozenset(number for stat in process_tree(self.pid) for number in _numbers(stat.pid))

    @property
    def exit_code(self) -> int | None:
        """None while its first process runs; negative for a signal, as Docker tells it."""
        if self._exit_code is None and not self._alive:
            self._settle(self._state())
        return self._exit_code

    def wait(self, seconds: float) -> int | None:
        """Wait for its end, at most so long.

        :returns: the exit code; None when it still runs.
        """
        if self._exit_code is None:
            if self._alive:
                wait_for_end(self.pid, seconds)
            if not self._alive:
                self._await_engine()
        return self._exit_code

    def kill(self) -> None:
        """SIGKILL, to all in it; returns when it has ended."""
        if self.exit_code is None:
            self._signal("SIGKILL")
            self.resume()  # A frozen process does not die of it.
            self.wait(KILL_SECONDS)

    def pause(self) -> None:
        """Freeze all in it by its control group."""
        if not self._state().get("Paused"):
            with self._engine.told(f"container {self.name} could not be paused"):
                self._handle.pause()

    def resume(self) -> None:
        """Let it go on. No error when it was not paused, or has ended meanwhile."""
        if self._state().get("Paused"):
            with self._engine.told(f"container {self.name} could not go on"):
                try:
                    self._handle.unpause()
                except APIError:
                    if self._state().get("Paused"):
                        raise

    def usage(self) -> Usage | None:
        """Of the server, as its forks share its pages; of the whole control group when what was
        started first is another program, which started the server.
        """
        tree = process_tree(self.pid) if self._alive else []
        if len({executable_of(stat.pid) for stat in tree}) <= 1:
            return process_usage(self.pid) if tree else None
        group = group_of(self.pid)
        return group.usage() if group else None

    def limits(self) -> dict[str, str]:
        """What the engine says it keeps, and the image with its digest."""
        host = self._attributes().get("HostConfig", {})
        found = {"container.image": f"{self.image.name} {self.image.id}"}
        # 0 is the engine's word for no limit, a negative number that of the kernel.
        if isinstance(memory := kept(str(host.get("Memory") or -1)), int):
            found[MEMORY_LIMIT] = memory_text(memory)
        if isinstance(nanos := kept(str(host.get("NanoCpus") or -1)), int):
            found["limits.cpus"] = cpu_text(nanos / NANO)
        return found

    def reason(self) -> str:
        """Why it ended, when that was its limit of memory; else empty."""
        if not self._state().get("OOMKilled"):
            return ""
        return limit_reached(self.limits().get(MEMORY_LIMIT, ""))

    def end(self, grace_seconds: float) -> Ended:
        """SIGTERM to its first process, wait, SIGKILL to all in it. Idempotent."""
        if self._ended is None:
            killed = False
            if self.exit_code is None:
                self._signal("SIGTERM")
                self.resume()  # One that is paused hears nothing.
                killed = self.wait(grace_seconds) is None
                self.kill()
            self._ended = Ended(self.exit_code, killed)
        return self._ended

    def stop(self, grace_seconds: float) -> Ended:
        """As `end`, and for good: its log is written, then container, port and record are given
        up. Idempotent.
        """
        ended = self.end(grace_seconds)
        if remove(self._engine, self._handle, self.log):
            self._record.unlink(missing_ok=True)
        if self.reservation is not None:
            self.reservation.release()
        return ended

    def log_tail(self, lines: int = 20) -> tuple[str, ...]:
        """The last lines it wrote."""
        try:
            text = mended(self._handle.logs(tail=lines).decode("utf-8", errors="replace"))
        except NotFound:
            return log_tail(self.log, lines)
        return tuple(line.rstrip() for line in text.splitlines() if line.strip())

    def said(self, lines: int) -> tuple[str, ...]:
        """The last lines it wrote; a container that is started again is another one."""
        return self.log_tail(lines)

    @property
    def _alive(self) -> bool:
        return bool(self._start_ticks) and is_alive(self.pid, self._start_ticks)

    def _attributes(self) -> Mapping[str, Any]:
        with self._engine.told(f"container {self.name} cannot be looked at"):
            try:
                self._handle.reload()
            except NotFound:
                return {}
        return dict(self._handle.attrs)

    def _state(self) -> Mapping[str, Any]:
        return dict(self._attributes().get("State", {}))

    def _signal(self, name: str) -> None:
        with self._engine.told(f"container {self.name} took no {name}"):
            try:
                self._handle.kill(name)
            except APIError:
                if self._state().get("Running"):
                    raise

    def _await_engine(self) -> None:
        """The kernel knows of an end before the engine does."""
        with (
            self._engine.told(f"the end of container {self.name} is not known"),
            contextlib.suppress(NotFound),
        ):
            self._handle.wait(timeout=KILL_SECONDS)
        self._settle(self._state())

    def _settle(self, state: Mapping[str, Any]) -> None:
        if not state:
            self._exit_code = -int(signal.SIGKILL)  # Removed by somebody else, which ends it.
        elif not state["Running"]:
            code = int(state["ExitCode"])
            self._exit_code = SIGNALLED - code if SIGNALLED < code <= SIGNALLED + 64 else code

    def _seen_here(self) -> None:
        """Hold that the process is on this machine: a pid of another one would be anybody's.

        :raises DeployFailed: when it is not.
        """
        if not self._state().get("Running"):
            return
        try:
            where = (PROC / str(self.pid) / "cgroup").read_text(encoding="utf-8")
        except (FileNotFoundError, ProcessLookupError):
            where = ""
        if str(self._handle.id) not in where and self._state().get("Running"):
            self.stop(0)
            raise DeployFailed(
                f"the processes of Docker at {self._engine.address} cannot be seen from here",
                "the engine has to be on the agent's own machine, outside of containers",
            )


def remove(engine: Engine, handle: library.Container, log: Path) -> bool:
    """Append what a container wrote to its log, then remove it; returns whether it was there."""
    with engine.told(f"container {handle.name} could not be removed"):
        try:
            with log.open("ab") as file:
                file.writelines(handle.logs(stream=True, follow=False))
            handle.remove(force=True, v=True)
        except NotFound:
            return False
    return True


def _numbers(pid: int) -> Sequence[int]:
    """A process's id in each namespace, from /proc/PID/status; empty when it is gone."""
    try:
        text = (PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ()
    line = next((each for each in text.splitlines() if each.startswith("NSpid:")), "")
    return [int(word) for word in line.split()[1:]]
