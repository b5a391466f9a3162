"""A client as the benchmarks see it: commands to run, and figures read from what they print."""

import resource
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from enginebench.machine import client_prefix
from enginebench.server import Server, Stall

RECORDS = 10_000
VALUE_BYTES = 1_000


@dataclass(frozen=True)
class Figures:
    """What a client says of its run: operations, operations a second, latencies in µs."""

    operations: int
    rate: float
    p50: float
    p95: float
    p99: float
    p999: float


@dataclass(frozen=True)
class Job:
    """A client's run. `read` turns its standard output into figures, by the name of the latency
    they are of (often just one).
    """

    command: list[str]
    read: Callable[[str], Mapping[str, Figures]]
    text: str = ""


class Client(Protocol):
    """A load generator. Every run is of reads of one record of 1,000 bytes, uniformly chosen."""

    @property
    def name(self) -> str:
        """What its authors call it."""

    @property
    def version(self) -> str:
        """Of the one on this machine."""

    @property
    def reads_by(self) -> str:
        """How it asks for a record."""

    @property
    def pipelines(self) -> bool:
        """It can have several requests of a connection in flight."""

    @property
    def paces(self) -> bool:
        """It can keep a rate."""

    def load(self, port: int) -> None:
        """Writes its records."""

    def full_speed(self, port: int, connections: int, depth: int, operations: int) -> Job:
        """As fast as it can."""

    def paced(self, port: int, connections: int, rate: int, seconds: int) -> Job:
        """At a rate of operations a second, over all connections."""


@dataclass(frozen=True)
class Ran:
    """How a run went; CPU of the client in µs."""

    figures: Mapping[str, Figures]
    output: str
    cpu: float
    stall: Stall | None
    seen: list[tuple[float, int]]
    """When the server had done how many reads."""


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e6


def run(
    job: Job,
    *,
    threads: int = 1,
    stop: tuple[Server, int, float] | None = None,
    watch: Server | None = None,
) -> Ran:
    """Runs a client on its core; ends the program when it fails.

    `stop`: a server to stop, after so many reads, for so many seconds. `watch`: a server to ask
    over and over how many reads it has done.
    """
    before = _children_cpu()
    command = [*client_prefix(threads), *job.command]
    pipe = subprocess.PIPE
    # It is read by a thread of its own, so that no pipe is full while this one waits and stops.
    with (
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process,
        ThreadPoolExecutor(1) as pool,
    ):
        talk = pool.submit(process.communicate, job.text)
        try:
            stall = stop[0].stop_after(stop[1], stop[2], process) if stop else None
            seen = watch.watch(process) if watch else []
            output, errors = talk.result()
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise SystemExit(
            f"{' '.join(job.command)}: exit code {process.returncode}\n{output}{errors}"
        )
    cpu = _children_cpu() - before
    return Ran(job.read(output), output, cpu, stall, seen)
