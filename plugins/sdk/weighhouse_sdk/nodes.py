"""The nodes of a system: where each lives, and what runs it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from weighhouse_sdk.process import Ended, Reservation, ServerProcess
from weighhouse_sdk.sampling import Usage
from weighhouse_sdk.wire import Address


class Body(Protocol):
    """What runs a node: a process, or a container."""

    reservation: Reservation | None
    """Port held for it until it is stopped."""

    @property
    def name(self) -> str:
        """Unique among the deployment's; names its log."""

    @property
    def line(self) -> str:
        """The command line that started it, quoted as for a shell, secrets masked."""

    @property
    def pid(self) -> int:
        """Of the server's process, as this machine counts."""

    @property
    def pids(self) -> frozenset[int]:
        """The same process in every namespace it is in: what the server may say of itself."""

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""

    def usage(self) -> Usage | None:
        """What the server used of processor and memory; None when it has ended."""

    def limits(self) -> dict[str, str]:
        """What the operating system keeps it within, and which image it runs, as lines of the
        effective configuration: `limits.memory`, `limits.cpus`, `container.image`.
        """

    def reason(self) -> str:
        """Why it ended, where the machine knows: the limit of memory; else empty."""

    def wait(self, seconds: float) -> int | None:
        """Wait for its end, at most so long; its exit code, None when it still runs."""

    def kill(self) -> None:
        """End it at once, and all it forked; returns when it has ended."""

    def pause(self) -> None:
        """Freeze it: it neither works nor answers, and keeps its connections."""

    def resume(self) -> None:
        """Let it go on after `pause`. No error when it was not paused."""

    def end(self, grace_seconds: float) -> Ended:
        """Ask it to end, wait, then kill; what was held for it stays. Idempotent."""

    def stop(self, grace_seconds: float) -> Ended:
        """As `end`, and for good: what was held for it is given up. Idempotent."""

    def log_tail(self, lines: int = 20) -> tuple[str, ...]:
        """The last lines it wrote."""


@dataclass(frozen=True)
class Place:
    """Where a node lives, and among whom; stays the same when the node is started again."""

    number: int
    """Counted from 1."""
    name: str
    """Unique among the deployment's; names process, log and directory."""
    address: Address
    """Where clients reach it."""
    directory: Path
    """Its data, and where it works; closed to other users."""
    addresses: tuple[Address, ...]
    """Of all nodes in order, this one among them."""
    replication_factor: int = 1
    peer_port: int | None = None
    """A second port, for other nodes alone; None: the system wants none."""
    peer_addresses: tuple[Address, ...] = ()
    """Of all nodes' second ports in order, for systems whose nodes are told of each other when they
    start; empty: the system wants none."""

    @property
    def alone(self) -> bool:
        """Whether it is the only node."""
        return len(self.addresses) == 1


@dataclass
class Node:
    """A node that `deploy` started."""

    place: Place
    body: Body
    down: bool = False
    """Ended on purpose: not to be missed."""
    paused: bool = False
    delayer: ServerProcess | None = None
    """Holds back what it sends, while that is wanted."""

    @property
    def ended_by_itself(self) -> bool:
        """Whether it has ended and nobody asked for it."""
        return not self.down and self.body.exit_code is not None
