"""Classes of traffic on the loopback interface: a rate, and what netem does.

The interface has no queueing discipline of its own; while a class is there it has the kernel's
`htb`, which sends what belongs to no class straight on. Rules put packets into classes.
"""

import contextlib
import fcntl
import ipaddress
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.network.ways import Tools

HANDLE = "7768"
"""Of our discipline, in hexadecimal digits: `wh` in ASCII, by it ours is known."""
QUANTUM = "60000"
"""Bytes a class sends at a turn; given because the kernel warns of what it derives."""
UNLIMITED = "1000gbit"
LONGEST = "1000"
"""Packets that may wait in a class, netem's own default."""


@dataclass(frozen=True)
class Shaping:
    """The classes of this machine's loopback interface; several deployments may share it."""

    tools: Tools

    def put(self, wanted: str, rate_mbit: float | None, netem: Sequence[str]) -> None:
        """Make a class, or change it.

        :param wanted: `HANDLE:MINOR`, as `free` gave it.
        :param rate_mbit: None: unlimited.
        :param netem: what tc's netem is told; empty: a plain queue.
        :raises DeployFailed: when tc refuses, or the interface is shaped by somebody else.
        """
        rate = UNLIMITED if rate_mbit is None else f"{round(rate_mbit * 1e6)}bit"
        leaf = ["netem", "limit", LONGEST, *netem] if netem else ["pfifo", "limit", LONGEST]
        with self._alone():
            self._take_interface()
            self._tc("class", "replace", f"parent {HANDLE}: classid {wanted} htb rate {rate}"
                     f" quantum {QUANTUM}")  # fmt: skip
            self._tc("qdisc", "replace", f"parent {wanted} {' '.join(leaf)}")

    def free(self, near: int) -> str:
        """A class that nobody has, `HANDLE:MINOR`.

        :param near: where to look first, for example a port.
        """
        taken = self.classes()
        minors = (f"{HANDLE}:{(near + step) % 0xFFFE + 1:x}" for step in range(0xFFFE))
        return next(minor for minor in minors if minor not in taken)

    def classes(self) -> tuple[str, ...]:
        """All of ours on this machine, of whatever deployment."""
        text = self.tools.run("tc", "class", "show", "dev", "lo")
        words = (line.split() for line in text.splitlines())
        found = (each[2] for each in words if each[:2] == ["class", "htb"])
        return tuple(each for each in found if each.startswith(f"{HANDLE}:"))

    def remove(self, given: str) -> None:
        """Take a class back, and with the last one our discipline. Idempotent.

        :raises DeployFailed: when tc refuses.
        """
        with self._alone():
            there = self.classes()
            if given in there:
                self._tc("class", "delete", f"classid {given}")
            if not set(there) - {given} and self._root() == ("htb", f"{HANDLE}:"):
                self._tc("qdisc", "delete", "root")

    def _take_interface(self) -> None:
        kind, handle = self._root()
        if (kind, handle) == ("htb", f"{HANDLE}:"):
            return
        if kind != "noqueue":
            raise DeployFailed(
                f"the loopback interface has a queueing discipline of somebody else's: {kind}",
                "take it off (tc qdisc delete dev lo root), or ask for no bandwidth",
            )
        self._tc("qdisc", "add", f"root handle {HANDLE}: htb default 0")

    def _root(self) -> tuple[str, str]:
        # The words of tc's own form differ between versions, those of its JSON do not.
        found = json.loads(self.tools.run("tc", "-json", "qdisc", "show", "dev", "lo"))
        return next(
            ((each["kind"], each["handle"]) for each in found if each.get("root")),
            ("noqueue", "0:"),
        )

    def _tc(self, what: str, verb: str, rest: str) -> None:
        self.tools.run("tc", what, verb, "dev", "lo", *rest.split())

    @staticmethod
    @contextlib.contextmanager
    def _alone() -> Iterator[None]:
        """Keep other processes of Weighhouse from the interface meanwhile."""
        run = Path("/run/lock")
        directory = run if run.is_dir() else Path(tempfile.gettempdir())
        with (directory / "weighhouse-loopback").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def refuse_other_interfaces(host: str) -> None:
    """Ask whether an address is one of the loopback interface, the only one that is shaped.

    :raises DeployFailed: when it is not.
    """
    if not ipaddress.ip_address(host).is_loopback:
        raise DeployFailed(
            f"bandwidth is limited on the loopback interface alone, and {host} is not of it",
            "let the agent's systems listen on 127.0.0.1",
        )
