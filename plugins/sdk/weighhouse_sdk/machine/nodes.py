"""The nodes of a system that this machine has, and what runs each."""

from dataclasses import dataclass
from typing import Protocol

from weighhouse_sdk.machine.process import Ended, Reservation, ServerProcess
from weighhouse_sdk.machine.resource_usage import Usage
from weighhouse_sdk.places import Place


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

    def said(self, lines: int) -> tuple[str, ...]:
        """The last lines it wrote since it was started, without those of what ran before it."""


@dataclass
class Node:
    """A node that `deploy` started."""

    place: Place
    body: Body
    down: bool = False
    """Ended on purpose: not to be missed."""
    left: bool = False
    """Left the system for good."""
    paused: bool = False
    delayer: ServerProcess | None = None
    """Holds back what it sends, while that is wanted."""

    @property
    def ended_by_itself(self) -> bool:
        """Whether it has ended and nobody asked for it."""
        return not self.down and self.body.exit_code is not None
