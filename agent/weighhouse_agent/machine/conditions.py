"""Under which conditions a machine measures: read from /proc and /sys, never guessed.

Everything is read below a root, so that recorded trees can be read as well; what cannot be read is
None. No program is started and nothing is changed.
"""

import ctypes
import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighhouse_protocol.facts import NetworkFacts, StorageFacts

NOT_AFFECTED = "Not affected"
_STEAL = 7
_COUNTED = 8
_UNSYNCHRONISED = 0x40
"""STA_UNSYNC of <sys/timex.h>."""
_MOST_ERROR_US = 16_000_000
"""The kernel's word for "no idea" (NTP_PHASE_LIMIT)."""


@dataclass(frozen=True)
class Tree:
    """The files that a system tells about itself in; `/` but in tests."""

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        """A path of the system, below the root."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str | None:
        """A file's text; None when it cannot be read."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def line(self, path: str) -> str | None:
        """A file's text without its end of line; None when empty or unreadable."""
        return (self.text(path) or "").strip() or None

    def number(self, path: str) -> int | None:
        """A file's number; None when it has none."""
        try:
            return int(self.line(path) or "")
        except ValueError:
            return None

    def names(self, path: str) -> list[str]:
        """What is in a directory, in order; empty when it cannot be read."""
        try:
            return sorted(entry.name for entry in self.at(path).iterdir())
        except OSError:
            return []

    def linked(self, path: str) -> str | None:
        """The last part of where a symbolic link leads to."""
        try:
            return self.at(path).readlink().name
        except OSError:
            return None


def turbo(tree: Tree) -> bool | None:
    """Whether cores may go above their nominal frequency."""
    off = tree.number("/sys/devices/system/cpu/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    boost = tree.number("/sys/devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == 1


def transparent_huge_pages(tree: Tree) -> str | None:
    """The choice in brackets of `always [madvise] never`."""
    return _bracketed(tree.line("/sys/kernel/mm/transparent_hugepage/enabled"))


def numa_nodes(tree: Tree) -> int | None:
    """How many nodes of memory there are."""
    names = tree.names("/sys/devices/system/node")
    return sum(name[4:].isdigit() for name in names if name.startswith("node")) or None


def numa_balancing(tree: Tree) -> bool | None:
    """Whether the kernel moves memory between nodes by itself."""
    number = tree.number("/proc/sys/kernel/numa_balancing")
    return None if number is None else number > 0


def mitigations(tree: Tree) -> dict[str, str] | None:
    """Faults of the processor and what is done about each, without those it does not have."""
    folder = "/sys/devices/system/cpu/vulnerabilities"
    found = {name: tree.line(f"{folder}/{name}") for name in tree.names(folder)}
    if not found:
        return None
    return {name: state for name, state in found.items() if state and state != NOT_AFFECTED}


def swappiness(tree: Tree) -> int | None:
    """How willingly the kernel swaps."""
    return tree.number("/proc/sys/vm/swappiness")


def steal_percent(tree: Tree) -> float | None:
    """Share of all processor time since boot that others had."""
    columns = (tree.text("/proc/stat") or "").partition("\n")[0].split()[1 : _COUNTED + 1]
    if len(columns) < _COUNTED:
        return None
    ticks = [int(each) for each in columns]
    return round(100.0 * ticks[_STEAL] / sum(ticks), 3) if sum(ticks) else None


def clock(timex: "Timex | None" = None) -> tuple[bool | None, int | None]:
    """Whether the kernel's clock is kept right, and how far it may be off, in microseconds.

    :param timex: the kernel's account; default: asked for.
    """
    told = timex or asked_timex()
    if told is None:
        return None, None
    if told.status & _UNSYNCHRONISED:
        return False, None
    return True, told.maxerror if told.maxerror < _MOST_ERROR_US else None


class Timex(ctypes.Structure):
    """`struct timex` of <sys/timex.h>."""

    _fields_ = [
        ("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long), ("esterror", ctypes.c_long), ("status", ctypes.c_int),
        ("constant", ctypes.c_long), ("precision", ctypes.c_long), ("tolerance", ctypes.c_long),
        ("seconds", ctypes.c_long), ("fraction", ctypes.c_long), ("tick", ctypes.c_long),
        ("rest", ctypes.c_long * 20),
    ]  # fmt: skip


def asked_timex() -> Timex | None:
    """Ask the kernel, which any account may; nothing is set. None where it does not answer."""
    told = Timex()
    adjtimex: Any = getattr(ctypes.CDLL(None), "adjtimex", None)
    if adjtimex is None or adjtimex(ctypes.byref(told)) < 0:
        return None
    return told


def open_files_limit() -> int | None:
    """Of this process."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if limit == resource.RLIM_INFINITY else limit


def ephemeral_ports(tree: Tree) -> int | None:
    """How many ports connections may go out from."""
    words = (tree.line("/proc/sys/net/ipv4/ip_local_port_range") or "").split()
    if len(words) != 2:  # noqa: PLR2004 - the first one and the last
        return None
    return int(words[1]) - int(words[0]) + 1


def listen_backlog(tree: Tree) -> int | None:
    """The kernel's limit of `listen`."""
    return tree.number("/proc/sys/net/core/somaxconn")


def packet_backlog(tree: Tree) -> int | None:
    """The kernel's limit of packets that wait for a processor."""
    return tree.number("/proc/sys/net/core/netdev_max_backlog")


def packets_dropped(tree: Tree) -> int | None:
    """How many found that queue full: the second column, a line a processor, in hexadecimal."""
    text = tree.text("/proc/net/softnet_stat")
    if not text:
        return None
    return sum(int(line.split()[1], 16) for line in text.splitlines())


def storage(tree: Tree, directory: Path) -> StorageFacts:
    """The file system that a directory is on, and the disk below it.

    :param directory: by its path in the tree; the nearest of its parents that exists counts.
    """
    place = directory.absolute()
    while not tree.at(str(place)).exists() and place != place.parent:
        place = place.parent
    mount = _mount_of(tree, place)
    device, disk = _block_device(tree, mount.device if mount else None)
    queue = f"/sys/class/block/{disk}/queue"
    rotational = tree.number(f"{queue}/rotational") if disk else None
    try:
        room = os.statvfs(tree.at(str(place)))
    except OSError:
        room = None
    return StorageFacts(
        device=device,
        driver=_disk_driver(tree, disk),
        file_system=mount.kind if mount else None,
        mount_options=mount.options if mount else None,
        scheduler=_bracketed(tree.line(f"{queue}/scheduler")) if disk else None,
        rotational=None if rotational is None else rotational == 1,
        size_bytes=room.f_blocks * room.f_frsize if room else None,
        free_bytes=room.f_bavail * room.f_frsize if room else None,
    )


@dataclass(frozen=True)
class Mount:
    """One line of /proc/self/mountinfo."""

    device: str
    """`major:minor`."""
    place: Path
    kind: str
    options: str


def mounts(tree: Tree) -> Iterator[Mount]:
    """What is mounted, in the order it was."""
    for line in (tree.text("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        own, shared = before.split(), after.split()
        # A mount's own options, then those of the file system, each once.
        options = dict.fromkeys([*own[5].split(","), *shared[2].split(",")])
        yield Mount(own[2], Path(_unescaped(own[4])), shared[0], ",".join(options))


def _mount_of(tree: Tree, directory: Path) -> Mount | None:
    """The innermost; of several at one place the last, which hides the others."""
    around = [mount for mount in mounts(tree) if directory.is_relative_to(mount.place)]
    return max(reversed(around), key=lambda mount: len(mount.place.parts), default=None)


def _unescaped(text: str) -> str:
    """Blanks and backslashes stand as octal numbers in mountinfo."""
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, sign)
    return text


def _block_device(tree: Tree, number: str | None) -> tuple[str | None, str | None]:
    """The name of a device by its numbers, and that of the disk that it is a part of."""
    if number is None:
        return None, None
    try:
        place = tree.at(f"/sys/dev/block/{number}").resolve(strict=True)
    except OSError:
        return None, None
    whole = place.parent if (place / "partition").exists() else place
    return place.name, whole.name


def _disk_driver(tree: Tree, disk: str | None) -> str | None:
    if disk is None:
        return None
    direct = tree.linked(f"/sys/class/block/{disk}/device/driver")
    # A namespace of NVMe hangs below its controller.
    return direct or tree.linked(f"/sys/class/block/{disk}/device/device/driver")


def network_devices(tree: Tree) -> tuple[NetworkFacts, ...]:
    """Devices that stand for something outside of the kernel; not loopback, bridges, tunnels."""
    folder = "/sys/class/net"
    return tuple(
        _network(tree, name, f"{folder}/{name}")
        for name in tree.names(folder)
        if tree.at(f"{folder}/{name}/device").exists()
    )


def _network(tree: Tree, name: str, place: str) -> NetworkFacts:
    speed = tree.number(f"{place}/speed")
    queues = tree.names(f"{place}/queues")
    duplex = tree.line(f"{place}/duplex")
    return NetworkFacts(
        name=name,
        driver=tree.linked(f"{place}/device/driver"),
        state=tree.line(f"{place}/operstate"),
        speed_megabits=speed if speed is not None and speed > 0 else None,
        duplex=None if duplex == "unknown" else duplex,
        mtu=tree.number(f"{place}/mtu"),
        receive_queues=sum(each.startswith("rx-") for each in queues) or None,
        transmit_queues=sum(each.startswith("tx-") for each in queues) or None,
    )


def _bracketed(line: str | None) -> str | None:
    """The choice in brackets, or the only one."""
    words = (line or "").split()
    chosen = [word.strip("[]") for word in words if word.startswith("[")]
    return chosen[0] if chosen else (words[0] if len(words) == 1 else None)
