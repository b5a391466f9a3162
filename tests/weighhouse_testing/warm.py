"""Programs of ours that start from a process which has imported them: 0.1 s in place of 2 to 8.

While `installed`, `subprocess.Popen` hands what would be `python -m weighhouse_…` (and Celery,
uvicorn, Alembic, and the `weighhouse` command) to that process, which forks. The child is a process
like any other, with a pid, streams, directory, environment, session and exit status of its own, and
it runs the same module as `__main__`. What needs another interpreter (`LD_PRELOAD`, options of
Python's own) is started as ever. `cold` starts everything as ever: for tests of the start itself.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODULES = ("weighhouse_", "celery", "uvicorn", "alembic")
"""What is started with `-m` begins so."""
COMMAND = Path(sys.executable).with_name("weighhouse")
COMMAND_MODULE = "weighhouse_cli.main"
SETPRIV = "setpriv"
STARTER = "weighhouse_testing.warm_starter"
STATUS = struct.Struct("i")
"""A length, a pid, or how a process ended as waitpid has it."""
_REAL = subprocess.Popen
_COLD = threading.Event()


@dataclass(frozen=True, slots=True)
class Program:
    """What is to run as `__main__`."""

    module: str
    arguments: tuple[str, ...]
    death_signal: int = 0
    """Sent to it when whoever forks ends."""


def program_of(words: Sequence[Any], environment: Mapping[str, str]) -> Program | None:
    """What a command line runs, where that can be forked; None: it has to be started as ever."""
    if "LD_PRELOAD" in environment or not all(isinstance(each, str | Path) for each in words):
        return None
    line, death = [str(each) for each in words], 0
    if line and Path(line[0]).name == SETPRIV and "--" in line:
        tether, line = line[1 : line.index("--")], line[line.index("--") + 1 :]
        if len(tether) != 2 or tether[0] != "--pdeathsig":
            return None
        death = signal.Signals[tether[1]]
    if line and Path(line[0]) == COMMAND:
        return Program(COMMAND_MODULE, tuple(line[1:]), death)
    known = len(line) > 2 and line[:2] == [sys.executable, "-m"] and line[2].startswith(MODULES)
    return Program(line[2], tuple(line[3:]), death) if known else None


class Forked(_REAL):  # type: ignore[type-arg]
    """A process that may have been forked by the starter; `subprocess.Popen` to everybody.

    It takes the place of the part of CPython's class that starts a process and hears of its end.
    """

    place = ""
    """Where the starter listens."""
    _end: int | None = None
    """The pipe in which the starter tells how it ended; None: it was started as ever."""
    _told: int | None = None

    def _execute_child(self, args: Any, *rest: Any) -> None:
        (_executable, preexec, _close, passed, cwd, env, _info, _flags, shell,
         *pipes, _restore, gid, gids, uid, umask, session, group) = rest  # fmt: skip
        plain = (preexec, gid, gids, uid, umask, group) == (None, None, None, None, -1, -1)
        environment = dict(os.environ if env is None else env)
        words = [args] if isinstance(args, str | bytes | Path) else list(args)
        program = program_of(words, environment) if plain and not (shell or passed) else None
        if program is None or not self._ready():
            super()._execute_child(args, *rest)  # type: ignore[misc]
            return
        order = {
            "module": program.module,
            "arguments": program.arguments,
            "death_signal": program.death_signal,
            "directory": os.fspath(cwd or Path.cwd()),
            "environment": {os.fsdecode(k): os.fsdecode(v) for k, v in environment.items()},
            "session": bool(session),
        }
        p2cread, _, _, c2pwrite, _, errwrite = pipes
        streams = [
            given if given != -1 else own
            for given, own in ((p2cread, 0), (c2pwrite, 1), (errwrite, 2))
        ]
        self._end, theirs = os.pipe()
        try:
            self.pid = _ask(self.place, order, [*streams, theirs])
            self._child_created = True
        finally:
            os.close(theirs)
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _ready(self) -> bool:
        """Whether the starter may be asked."""
        return bool(self.place)

    def _internal_poll(self, _deadstate: int | None = None, **_: Any) -> int | None:
        if self._end is None:
            return super()._internal_poll(_deadstate=_deadstate)  # type: ignore[no-any-return,misc]
        return super()._internal_poll(  # type: ignore[no-any-return,misc]
            _deadstate=_deadstate, _waitpid=lambda _pid, flags: self._try_wait(flags)
        )

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._end is None:
            return super()._try_wait(wait_flags)  # type: ignore[no-any-return,misc]
        if self._told is None:
            ready, _, _ = select.select([self._end], [], [], 0 if wait_flags & os.WNOHANG else None)
            if not ready:
                return 0, 0
            told = os.read(self._end, STATUS.size)
            os.close(self._end)
            # Nothing is told when the starter has been killed, and what it forked with it.
            self._told = STATUS.unpack(told)[0] if told else signal.SIGKILL
        return self.pid, self._told


def _ask(place: str, order: Mapping[str, Any], streams: Sequence[int]) -> int:
    """Have a program forked; its pid.

    :param streams: standard input, output and error, and where its end is to be told.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.connect(place)
        text = json.dumps(order).encode()
        socket.send_fds(asking, [STATUS.pack(len(text))], list(streams))
        asking.sendall(text)
        told = asking.recv(STATUS.size)
    if not told:
        raise OSError("the process that forks programs has ended")
    return int(STATUS.unpack(told)[0])


class Starter:
    """The process that has imported everything; begun when it is first needed."""

    def __init__(self) -> None:
        self.place = str(Path(tempfile.mkdtemp(prefix="weighhouse-warm-")) / "s")
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Start it, unless it runs; returns when it can be asked."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            self._process = _REAL(
                [sys.executable, "-m", STARTER, self.place],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )  # fmt: skip
            assert self._process.stdout is not None
            assert self._process.stdout.readline() == b"ready\n"
            self._process.stdout.close()

    def end(self) -> None:
        """End it, and whatever it forked that still runs."""
        with self._lock:
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()
                self._process.wait()
                self._process = None


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """Programs start warm until this ends. The first one waits for all to be imported."""
    starter = Starter()

    class Warm(Forked):
        place = starter.place

        def _ready(self) -> bool:
            if _COLD.is_set():
                return False
            starter.begin()
            return True

    subprocess.Popen = Warm  # type: ignore[misc]
    try:
        yield
    finally:
        subprocess.Popen = _REAL  # type: ignore[misc]
        starter.end()
        Path(starter.place).unlink(missing_ok=True)
        Path(starter.place).parent.rmdir()


@contextlib.contextmanager
def cold() -> Iterator[None]:
    """Programs start as they do for users until this ends."""
    _COLD.set()
    try:
        yield
    finally:
        _COLD.clear()
