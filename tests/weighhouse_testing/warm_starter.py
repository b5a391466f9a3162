"""The process that forks programs: `python -m weighhouse_testing.warm_starter SOCKET`.

It forks one child for each order it gets, after it has imported what that program is made of;
what is told of each end goes into the pipe that came with the order. It has one thread. At the end
of its standard input it kills what still runs, and ends.
"""

import atexit
import contextlib
import ctypes
import gc
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from weighhouse_testing.warm import COMMAND_MODULE, STATUS, Forked

BACKEND = (
    "weighhouse_backend.app.factory",
    "weighhouse_backend.app.bootstrap",
    "weighhouse_backend.kit.database_login",
    "psycopg_binary",
)
LOADED = {
    "weighhouse_agent": (
        "weighhouse_agent.supervisor.program",
        "weighhouse_agent.supervisor.fork_server",
    ),
    "weighhouse_backend": BACKEND,
    "weighhouse_cli": ("weighhouse_cli.main", "weighhouse_cli.whole"),
    "alembic": (*BACKEND, "alembic.config", "alembic.command"),
    "uvicorn": (
        *BACKEND,
        "uvicorn.main",
        "uvicorn.lifespan.on",
        "uvicorn.loops.uvloop",
        "uvicorn.protocols.http.httptools_impl",
    ),
    "celery": (
        "weighhouse_worker.celery_tasks",
        "weighhouse_worker.app",
        "weighhouse_worker.beat",
        "celery.bin.celery",
        "celery.bin.worker",
        "celery.bin.beat",
        "celery.apps.worker",
        "celery.apps.beat",
        "celery.concurrency.prefork",
    ),
}
"""What is imported before the first program of a package is forked."""
PR_SET_PDEATHSIG = 1
STREAMS = 4
"""Standard input, output, error, and the pipe for its end."""


def receive(listener: socket.socket) -> tuple[socket.socket, dict[str, Any], list[int]]:
    """The next order, whom to answer, and the descriptors that came with it."""
    asking, _ = listener.accept()
    head, streams, _, _ = socket.recv_fds(asking, STATUS.size, STREAMS)
    length, text = STATUS.unpack(head)[0], b""
    while len(text) < length:
        text += asking.recv(length - len(text))
    return asking, json.loads(text), streams


def become(order: dict[str, Any], streams: list[int]) -> None:
    """Be what was ordered, as if just started: streams, session, directory, environment, words."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.set_wakeup_fd(-1)
    if order["session"]:
        os.setsid()
    # Through copies beyond them, since a stream may come under another's number.
    for number, copy in enumerate([os.dup(each) for each in streams[:3]]):
        os.dup2(copy, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if order["death_signal"]:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, order["death_signal"])
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    tempfile.tempdir = None
    os.chdir(order["directory"])
    more = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [str(Path.cwd()), *filter(None, more)]
    sys.argv = [order["module"], *order["arguments"]]
    through = bool(os.environ.get("PYTHONUNBUFFERED"))
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(write_through=through, line_buffering=stream.isatty())


def load(module: str) -> None:
    """Import what a program needs, once; collections of garbage leave it alone from then on."""
    wanted = LOADED.get(module.partition(".")[0], ())
    if all(each in sys.modules for each in wanted):
        return
    for each in wanted:
        import_module(each)
    gc.collect()
    gc.freeze()


class Children:
    """What was forked and has not been waited for."""

    def __init__(self) -> None:
        self._ends: dict[int, int] = {}

    def add(self, pid: int, end: int) -> None:
        """:param end: where its end is to be told."""
        self._ends[pid] = end

    def reap(self) -> None:
        """Tell of those that have ended."""
        while self._ends:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            end = self._ends.pop(pid)
            with contextlib.suppress(BrokenPipeError):  # nobody asks any more
                os.write(end, STATUS.pack(status))
            os.close(end)

    def kill(self) -> None:
        """End all."""
        for pid in self._ends:
            os.kill(pid, signal.SIGKILL)


def serve(place: str) -> dict[str, Any] | None:
    """Fork until standard input ends. Returns in each child, with its order; None: in the end."""
    children = Children()
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(place)
    listener.listen(64)
    os.write(1, b"ready\n")
    while True:
        ready, _, _ = select.select([listener.fileno(), woken, 0], [], [])
        if woken in ready:
            os.read(woken, 4096)
        children.reap()
        if 0 in ready and not os.read(0, 1):
            children.kill()
            return None
        if listener.fileno() not in ready:
            continue
        asking, order, streams = receive(listener)
        load(order["module"])
        pid = os.fork()
        if pid == 0:
            asking.detach()
            listener.detach()
            become(order, streams)
            return order
        children.add(pid, streams.pop())
        for each in streams:
            os.close(each)
        asking.sendall(STATUS.pack(pid))
        asking.close()


def main() -> None:
    """Import, fork, and be what was ordered."""
    place = sys.argv[1]
    order = serve(place)
    if order is None:
        return
    subprocess.Popen = type("Warm", (Forked,), {"place": place})  # type: ignore[misc,assignment]
    status = run(order)
    # What Python does at its end, but for taking apart what was imported before the fork.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def run(order: dict[str, Any]) -> int:
    """Run what was ordered to its end; the exit status."""
    try:
        if order["module"] == COMMAND_MODULE:  # it is started by a script that calls its `main`
            import_module(COMMAND_MODULE).main()
        else:
            # Or runpy would warn that it runs what was imported before. A package stays: its parts
            # hang on it.
            if not hasattr(sys.modules.get(order["module"]), "__path__"):
                sys.modules.pop(order["module"], None)
            runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001 - told as the interpreter tells it
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


if __name__ == "__main__":
    main()
