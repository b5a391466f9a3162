"""What an attempt may leave on a machine, of whatever kind, and how it is found again."""

from dataclasses import dataclass
from typing import Literal, Protocol

RemainsKind = Literal["process", "container", "control group", "network rule"]


@dataclass(frozen=True)
class Leftover:
    """Something of this context that nobody holds any more."""

    name: str
    """Of the node, or of what it was made for."""
    pid: int = 0
    """Of a process, or of a container's first one; 0: there is none."""
    start_ticks: int = 0
    """With the pid, the process's identity."""
    kind: RemainsKind = "process"

    def __str__(self) -> str:
        """For a log."""
        return f"{self.kind} {self.name}" + (f", pid {self.pid}" if self.pid else "")


class Remains(Protocol):
    """One kind of what a context makes outside its directories. `Context.remains` has all kinds.

    Whoever makes something writes a record into the context's directory before it exists, so
    that a crash at any moment leaves either nothing or something that is on record.
    """

    def leftovers(self) -> tuple[Leftover, ...]:
        """What is still there, found by the records on disk alone. Changes nothing.

        :raises DeployFailed: when the machine cannot be asked.
        """

    def remove_leftovers(self, grace_seconds: float) -> tuple[Leftover, ...]:
        """Remove what `leftovers` finds, and nothing else; then forget the records. Idempotent.

        :param grace_seconds: time for an orderly end, where there is one.
        :returns: what was there.
        :raises DeployFailed: when something would not go; its record stays.
        """
