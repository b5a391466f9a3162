"""Who opened a connection: nodes of a machine may share an address, and then ports do not tell.

What a node opens to another bears a port that the kernel chose. Connections that are there are
read from /proc; those to come are known by the control group of the process that makes them,
which is why nodes are put into groups of their own while a condition holds. Such a group limits
nothing. It lies below the one the process is in, so that what limits that still holds.
"""

import contextlib
import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from weighhouse_sdk.machine.procfs import PROC, all_processes, process_stat
from weighhouse_sdk.wire import Address

MEMBERS = "cgroup.procs"
LISTENING = "0A"
SOCKET = re.compile(r"socket:\[(\d+)\]")


@dataclass(frozen=True)
class Opened:
    """A connection that is there."""

    own: Address
    other: Address


def hierarchy() -> Path | None:
    """Where control groups of version 2 are mounted; None: nowhere."""
    for line in (PROC / "self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            return Path(before.split()[4])
    return None


def home_of(pid: int) -> str:
    """The group of version 2 that a process is in; the root's when it is gone."""
    try:
        lines = (PROC / str(pid) / "cgroup").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return "/"
    return next((line.removeprefix("0::") for line in lines if line.startswith("0::")), "/")


def gather(pid: int, group: Path) -> None:
    """Put a process and its session into a group, made when it is not there. Idempotent.

    :raises OSError: when the kernel refuses.
    """
    group.mkdir(exist_ok=True)
    leader = process_stat(pid)
    if leader is None or not leader.alive:
        return
    for stat in all_processes():
        if stat.alive and pid in (stat.pid, stat.session):
            with contextlib.suppress(ProcessLookupError):
                (group / MEMBERS).write_text(str(stat.pid), encoding="ascii")


def dissolve(group: Path) -> None:
    """Put what is in a group into the one above, and remove it. Idempotent.

    :raises OSError: when the kernel refuses.
    """
    if not group.is_dir():
        return
    for pid in (group / MEMBERS).read_text(encoding="ascii").split():
        with contextlib.suppress(ProcessLookupError):
            (group.parent / MEMBERS).write_text(pid, encoding="ascii")
    group.rmdir()


def opened(pid: int, to: Iterable[Address]) -> tuple[Opened, ...]:
    """Connections of a process to these ends; port 0: to any port of that address."""
    ends = set(to)
    sockets = _sockets(pid)
    found = []
    for own, other, inode in _connections(pid):
        if inode in sockets and (other in ends or Address(other.host, 0) in ends):
            found.append(Opened(own, other))
    return tuple(found)


def _sockets(pid: int) -> frozenset[str]:
    found = set()
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for path in (PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                match = SOCKET.fullmatch(str(path.readlink()))
                if match:
                    found.add(match[1])
    return frozenset(found)


def _connections(pid: int) -> Iterator[tuple[Address, Address, str]]:
    """Ends and inode (proc(5), /proc/net/tcp) of every connection in a process's namespace."""
    for name in ("tcp", "tcp6"):
        try:
            text = (PROC / str(pid) / "net" / name).read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError, OSError):
            continue
        for line in text.splitlines()[1:]:
            words = line.split()
            own, other = _address(words[1]), _address(words[2])
            if words[3] != LISTENING and own and other:
                yield own, other, words[9]


def _address(text: str) -> Address | None:
    """An IPv4 address, also one that stands in an IPv6 socket; None: IPv6."""
    digits, _, port = text.partition(":")
    words = bytes.fromhex(digits)
    # Each 32-bit word is printed as this machine's number of it, and that is little-endian.
    raw = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
    address = ipaddress.ip_address(raw)
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return Address(str(mapped), int(port, 16)) if mapped else None
    return Address(str(address), int(port, 16))
