"""What a verb gets to work with: where, for what, for how long."""

import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from weighhouse_protocol.target import Target

from weighhouse_sdk.capacity import capacity
from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.errors import Cancelled, DeadlinePassed, PluginError
from weighhouse_sdk.machine.cgroups import ControlGroups
from weighhouse_sdk.machine.containers import Containers
from weighhouse_sdk.machine.images import Engine
from weighhouse_sdk.machine.network.network_faults import Network
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.machine.process import Processes
from weighhouse_sdk.machine.remains import Leftover, Remains

Hosts = Mapping[str, tuple[str, ...]]
"""Name → its addresses, in the order in which they are to be tried."""


class Clock(Protocol):
    """Time, injected so that tests need not wait for it."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""

    def now_us(self) -> int:
        """Unix time, µs."""

    def stepped_us(self) -> int:
        """How far the machine's time of day has been set ahead meanwhile, µs; negative: back."""


class Cancel:
    """Says whether to stop; set from another thread or a signal handler."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""

    def cancel(self, reason: str = "cancelled") -> None:
        """Ask to stop; the first reason stands. Idempotent."""
        if not self._event.is_set():
            self.reason = reason
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until cancelled; returns whether cancelled."""
        return self._event.wait(max(0.0, seconds))

    def raise_if_cancelled(self) -> None:
        """:raises Cancelled: when somebody asked to stop."""
        if self.cancelled:
            raise Cancelled(self.reason)


def default_search_path() -> str:
    """PATH, with the directories that servers live in even when a service's PATH is short."""
    return os.pathsep.join(
        [os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"]
    )


@dataclass(frozen=True)
class HostOptions:
    """What the machine's operator decides; never part of an experiment."""

    search_path: str = field(default_factory=default_search_path)
    """Where executables are looked for, as in PATH."""
    host: str = "127.0.0.1"
    """Address that servers listen on."""
    port: int | None = None
    """Fixed port; None: a free one."""
    ports: range | None = None
    """Where free ports are looked for; None: the operating system gives them."""
    server_cpus: frozenset[int] | None = None
    """Processors the server is pinned to; None: all."""
    driver_cpus: frozenset[int] | None = None
    """Processors the driver is pinned to; None: all."""
    ready_seconds: float = 30.0
    """How long a server may take until it serves."""
    stop_seconds: float = 10.0
    """Time between SIGTERM and SIGKILL."""
    docker_host: str = "unix:///var/run/docker.sock"
    """Where the Docker engine of this machine answers."""
    pull_images: bool = False
    """Whether an image that is missing is pulled."""
    credentials: Credentials | None = field(default=None, repr=False)
    """What the policy keeps for the target; `Context.credentials` hands it out."""


@dataclass(frozen=True)
class Context:
    """Everything a verb may use. Made by `Context.open`, one for each attempt.

    `directory` belongs to this attempt alone: `data/` below it is the system's, `scratch/` is for
    probes and the driver; `processes/`, `containers/`, `groups/` and `network/` have the records
    by which leftovers are found after a crash. Logs and files stay when all else is removed.
    """

    target: Target
    directory: Path
    log_directory: Path
    file_directory: Path
    """For files that become the run's; made by whoever puts the first one there."""
    processes: Processes
    containers: Containers
    groups: ControlGroups
    deadline_at: float
    """By `clock.monotonic()`."""
    options: HostOptions = HostOptions()
    hosts: Hosts = field(default_factory=dict)
    """Of the names in an `external` target's endpoints; a name that is not there is looked up."""
    own_nodes: tuple[int, ...] | None = None
    """Numbers of the nodes that this machine has, counted from 1; None: all."""
    ports: HeldPorts = field(default_factory=HeldPorts)
    """Held for nodes that are not started yet."""
    cancel: Cancel = field(default_factory=Cancel)
    clock: Clock = field(default_factory=SystemClock)

    @classmethod
    def open(
        cls,
        target: Target,
        directory: Path,
        *,
        log_directory: Path | None = None,
        file_directory: Path | None = None,
        limit_seconds: float = 3600.0,
        options: HostOptions | None = None,
        hosts: Hosts | None = None,
        own_nodes: tuple[int, ...] | None = None,
        cancel: Cancel | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Make the directories and the process runner. Idempotent: opens what is there.

        :param target: what to set up.
        :param directory: this attempt's own; made when it is not there.
        :param log_directory: default: `logs/` in the directory.
        :param file_directory: default: `files/` in the directory.
        :param limit_seconds: the run's limit, from now on.
        :param own_nodes: numbers of the nodes that this machine is to have; None: all.
        """
        clock, options = clock or SystemClock(), options or HostOptions()
        engine = Engine(options.docker_host, pull=options.pull_images)
        directory = directory.absolute()
        logs = (log_directory or directory / "logs").absolute()
        for path in (directory, logs):
            path.mkdir(parents=True, exist_ok=True)
        return cls(
            target=target,
            directory=directory,
            log_directory=logs,
            file_directory=(file_directory or directory / "files").absolute(),
            processes=Processes(directory / "processes", directory, logs),
            containers=Containers(directory / "containers", directory, logs, engine),
            groups=ControlGroups(directory / "groups", directory),
            deadline_at=clock.monotonic() + limit_seconds,
            options=options,
            hosts=hosts or {},
            ports=HeldPorts(options.ports),
            own_nodes=own_nodes,
            cancel=cancel or Cancel(),
            clock=clock,
        )

    @property
    def machine(self) -> dict[str, int]:
        """What this machine has for the nodes here; empty where it is to have none."""
        if self.own_nodes == ():
            return {}
        return capacity(self.target, self.options.server_cpus)

    @property
    def data_directory(self) -> Path:
        """Where the system keeps its data; made by `deploy`, removed by `clean_up`."""
        return self.directory / "data"

    @property
    def scratch_directory(self) -> Path:
        """Where probes and the driver work; removed by `clean_up`."""
        return self.directory / "scratch"

    @property
    def driver_directory(self) -> Path:
        """Where the driver works, unless it is told otherwise."""
        return self.scratch_directory / "driver"

    @property
    def network(self) -> Network:
        """What is done to the network of this context's nodes."""
        return Network(self.directory, self.processes, self.options.search_path)

    @property
    def remains(self) -> tuple[Remains, ...]:
        """Every kind of what this context may leave outside its directories, in the order in
        which they can be removed.
        """
        return (self.network, self.processes, self.containers, self.groups)

    def leftovers(self) -> tuple[Leftover, ...]:
        """What of this context is still there, of every kind, from the records on disk alone.

        :raises DeployFailed: when the machine cannot be asked.
        """
        return tuple(found for each in self.remains for found in each.leftovers())

    def remove_leftovers(self) -> tuple[Leftover, ...]:
        """Remove what `leftovers` finds; trouble with one kind keeps no other from going.

        :raises DeployFailed: the first trouble, after all was tried.
        """
        found: list[Leftover] = []
        trouble: PluginError | None = None
        for each in self.remains:
            try:
                found += each.remove_leftovers(self.options.stop_seconds)
            except PluginError as error:
                trouble = trouble or error
        if trouble is not None:
            raise trouble
        return tuple(found)

    def credentials(self) -> Credentials | None:
        """What an `external` system wants to see, where the target names credentials."""
        return self.options.credentials if self.target.credentials is not None else None

    def seconds_left(self) -> float:
        """Until the deadline; never negative."""
        return max(0.0, self.deadline_at - self.clock.monotonic())

    def check(self) -> None:
        """Ask whether to go on.

        :raises Cancelled: when somebody asked to stop.
        :raises DeadlinePassed: when the run's limit is over.
        """
        self.cancel.raise_if_cancelled()
        if self.seconds_left() == 0.0:
            raise DeadlinePassed("the run's time limit passed", "give the run more time")

    def attempts(self, limit_seconds: float, every_seconds: float = 0.02) -> Iterator[None]:
        """Yield again and again until the limit is over: the loop of whatever waits.

        :param limit_seconds: ends the iteration; at least one turn is given.
        :param every_seconds: pause between turns; a cancel ends it at once.
        :raises Cancelled, DeadlinePassed: as `check`.
        """
        end_at = self.clock.monotonic() + limit_seconds
        while True:
            self.check()
            yield
            if self.clock.monotonic() >= end_at:
                return
            self.cancel.wait(min(every_seconds, self.seconds_left()))
