"""What may befall a platform for a minute: each begins, lasts as long as its context, and ends."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from chaos.disturbing import Scene

BLOCK = bytes(1 << 20)
Befalling = Callable[[Scene], AbstractContextManager[str]]
"""Gives the name of the agent that it befell; empty: the platform."""


@dataclass(frozen=True)
class Condition:
    """One of them, and where it has to be named."""

    befall: Befalling
    told_by: Literal["platform", "agents"]
    """Readiness has it among its conditions, or the machines that it befell are shown with it."""
    slug: str = ""
    """The condition's name in readiness."""
    named_seconds: float = 5.0
    """Within so long it has to be told."""


@contextlib.contextmanager
def _filled(folder: Path) -> Iterator[None]:
    """No room is left on a file system, to the last byte."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while file.write(BLOCK[:size]) == size:
                        pass
        yield
    finally:
        ballast.unlink(missing_ok=True)


@contextlib.contextmanager
def backends_disk(scene: Scene) -> Iterator[str]:
    """No room where database, Redis, logs and files of the platform lie."""
    with _filled(scene.platforms_disk):
        yield ""


@contextlib.contextmanager
def agents_disk(scene: Scene) -> Iterator[str]:
    """No room where the agents' homes lie."""
    with _filled(scene.homes):
        yield "*"


def _standing(part: str) -> Befalling:
    """A part and all below it get no processor: connections stay, and nobody answers."""

    @contextlib.contextmanager
    def befall(scene: Scene) -> Iterator[str]:
        top = psutil.Process(scene.platform.pid(part))
        stopped = [top, *top.children(recursive=True)]
        try:
            for process in stopped:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.suspend()
            yield ""
        finally:
            for process in reversed(stopped):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    return befall


def _gone(part: str) -> Befalling:
    """A part ends at once, and is not started again while it lasts."""

    @contextlib.contextmanager
    def befall(scene: Scene) -> Iterator[str]:
        supervisor = scene.platform.inner.supervisor
        # Whoever looks after the parts takes this before it starts one again.
        with supervisor._lock:
            top = psutil.Process(scene.platform.pid(part))
            for process in (top, *top.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    os.kill(process.pid, signal.SIGKILL)
            yield ""

    return befall


@contextlib.contextmanager
def parted(scene: Scene) -> Iterator[str]:
    """An agent and the platform do not hear of each other, and no connection is closed."""
    agent = scene.agent()
    with ExitStack() as stack:
        stack.callback(agent.link.mend)
        agent.link.cut()
        yield agent.name


CONDITIONS: dict[str, Condition] = {
    "backend-disk-full": Condition(backends_disk, "platform", "no-space"),
    "agent-disk-full": Condition(agents_disk, "agents"),
    "database-stopped": Condition(_standing("postgresql"), "platform", "database-away"),
    "database-killed": Condition(_gone("postgresql"), "platform", "database-away"),
    "redis-stopped": Condition(_standing("redis"), "platform", "redis-away"),
    "redis-killed": Condition(_gone("redis"), "platform", "redis-away"),
    "worker-stopped": Condition(_standing("worker"), "platform", "worker-away"),
    "worker-killed": Condition(_gone("worker"), "platform", "worker-away"),
    "network-parted": Condition(parted, "agents"),
}
"""Name → what it is."""
