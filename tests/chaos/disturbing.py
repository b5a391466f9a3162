"""What is done to the platform and its agents, each as one verb that is undone by itself."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import redis
from weighhouse_testing.agents import TestedAgent
from weighhouse_testing.platform import RunningPlatform

PARTS = ("worker", "backend", "beat", "postgresql", "redis")
DISK_MEBIBYTES = 1024
CLOCK_SECONDS = 60


@dataclass
class Scene:
    """What there is to break."""

    platform: RunningPlatform
    agents: list[TestedAgent]
    homes: Path
    """The file system that the agents' homes are on."""
    small_disk: bool
    """Whether that is one of its own, which may be filled."""
    random: random.Random
    cut_seconds: tuple[float, float]
    """How long an agent's network stays cut: shortest and longest."""
    platforms_disk: Path = Path()
    """The file system that the platform's directory is on, where it is one of its own."""

    def agent(self) -> TestedAgent:
        """One of the agents."""
        return self.random.choice(self.agents)


def kill_part(scene: Scene) -> str:
    """A part of the platform ends at once; its supervisor starts it again."""
    part = scene.random.choice(PARTS)
    with contextlib.suppress(ProcessLookupError):
        os.kill(scene.platform.pid(part), signal.SIGKILL)
    return f"killed {part}"


def kill_agent(scene: Scene) -> str:
    """An agent's program ends at once; what it started goes on, and the next start finds it."""
    agent = scene.agent()
    agent.kill()
    return f"killed agent {agent.name}"


def kill_attempt(scene: Scene) -> str:
    """All processes of an agent end at once, attempts, drivers and databases among them: the
    machine was switched off and on.
    """
    agent = scene.agent()
    agent.kill()
    for process in agent.processes():
        with contextlib.suppress(Exception):
            process.kill()
    return f"switched agent {agent.name} off and on"


def empty_redis(scene: Scene) -> str:
    """Everything that Redis held is gone."""
    with contextlib.suppress(redis.RedisError):
        redis.from_url(scene.platform.inner.redis_url).flushall()
    return "emptied Redis"


def cut_network(scene: Scene) -> str:
    """An agent and the platform do not hear of each other for a while."""
    agent = scene.agent()
    seconds = scene.random.uniform(*scene.cut_seconds)
    agent.link.cut()
    try:
        time.sleep(seconds)
    finally:
        agent.link.mend()
    return f"cut agent {agent.name} off for {seconds:.1f} s"


def fill_disk(scene: Scene) -> str:
    """No room is left where the agents keep their spools, for a while."""
    if not scene.small_disk:
        return "left the disk alone: it is not one of its own"
    ballast = scene.homes / "ballast"
    seconds = scene.random.uniform(2.0, 8.0)
    try:
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            block = bytes(1 << 20)
            while True:
                file.write(block)
        time.sleep(seconds)
    finally:
        ballast.unlink(missing_ok=True)
    return f"filled the agents' disk for {seconds:.1f} s"


def move_clock(scene: Scene) -> str:
    """An agent's clock jumps, and jumps back a little later."""
    agent = scene.agent()
    offset = scene.random.uniform(-CLOCK_SECONDS, CLOCK_SECONDS)
    if agent.clock is None:
        return f"left the clock of agent {agent.name} alone: it is the machine's"
    agent.clock.move(offset)
    try:
        time.sleep(scene.random.uniform(2.0, 6.0))
    finally:
        agent.clock.move(0.0)
    return f"moved the clock of agent {agent.name} by {offset:+.1f} s"


Disturbance = Callable[[Scene], str]
DISTURBANCES: dict[str, Disturbance] = {
    "kill-part": kill_part,
    "kill-agent": kill_agent,
    "switch-off": kill_attempt,
    "empty-redis": empty_redis,
    "cut-network": cut_network,
    "fill-disk": fill_disk,
    "move-clock": move_clock,
}
"""Name → what it does; each answers with what it did, in words."""


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A file system of its own in memory at a folder, so that it may be filled.

    :returns: whether there is one; without the right to mount, the folder is what it was.
    """
    if os.geteuid() != 0 or shutil.which("mount") is None:
        yield False
        return
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m", "weighhouse-chaos", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)
