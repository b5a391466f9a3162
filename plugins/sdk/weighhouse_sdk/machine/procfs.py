"""Reads Linux's /proc: who a process is, what it used."""

import contextlib
import os
import select
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

# Fields of /proc/PID/stat after the name in parentheses (proc(5), fields 3 and up).
_STATE, _PARENT, _GROUP, _SESSION = 0, 1, 2, 3
_UTIME, _STIME, _CHILD_UTIME, _CHILD_STIME = 11, 12, 13, 14
_START, _RSS = 19, 21

# Fields of a line of /proc/net/tcp (proc(5)).
_SOCKET_STATE, _SOCKET_INODE = 3, 9
_LISTENS = "0A"

# Columns of /proc/net/dev after the name (proc(5)); those of what was received come first.
_SENT_BYTES, _SENT_PACKETS = 8, 9


@dataclass(frozen=True)
class ProcessStat:
    """One process at a moment."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    cpu_seconds: float
    """User and system time, of its ended and awaited children too."""
    start_ticks: int
    """Clock ticks from boot to its start: with the pid, its identity until the next boot."""
    resident_bytes: int

    @property
    def alive(self) -> bool:
        """Whether it still runs; a zombie does not."""
        return self.state not in {"Z", "X"}


def process_stat(pid: int) -> ProcessStat | None:
    """One process; None when it is gone."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    ticks = sum(int(fields[n]) for n in (_UTIME, _STIME, _CHILD_UTIME, _CHILD_STIME))
    return ProcessStat(
        pid=pid,
        state=fields[_STATE],
        parent=int(fields[_PARENT]),
        group=int(fields[_GROUP]),
        session=int(fields[_SESSION]),
        cpu_seconds=ticks / TICKS_PER_SECOND,
        start_ticks=int(fields[_START]),
        resident_bytes=int(fields[_RSS]) * PAGE_BYTES,
    )


def is_alive(pid: int, start_ticks: int) -> bool:
    """Whether this very process still runs, and not another that got its pid."""
    stat = process_stat(pid)
    return stat is not None and stat.alive and stat.start_ticks == start_ticks


def all_processes() -> list[ProcessStat]:
    """Every process that this one can see."""
    found = (process_stat(int(path.name)) for path in PROC.iterdir() if path.name.isdigit())
    return [stat for stat in found if stat is not None]


def open_files(pid: int) -> int | None:
    """How many files, sockets and the like a process holds open; None when it is gone or belongs to
    another user.
    """
    try:
        return sum(1 for _ in os.scandir(PROC / str(pid) / "fd"))
    except OSError:
        return None


def working_directory(pid: int) -> Path | None:
    """Where a process works; None when it is gone or belongs to another user."""
    try:
        return Path((PROC / str(pid) / "cwd").readlink())
    except OSError:
        return None


def command_line(pid: int) -> tuple[str, ...]:
    """The words that a process was started with; none when it is gone or is the kernel's."""
    try:
        data = (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(word.decode("utf-8", errors="replace") for word in data.split(b"\0")[:-1])


def process_tree(pid: int) -> list[ProcessStat]:
    """A process and all below it that run; empty when it is gone."""
    root = process_stat(pid)
    if root is None or not root.alive:
        return []
    children: dict[int, list[ProcessStat]] = {}
    for stat in all_processes():
        children.setdefault(stat.parent, []).append(stat)
    tree = [root]
    for member in tree:
        tree += [child for child in children.get(member.pid, []) if child.alive]
    return tree


def listening_process(port: int) -> int | None:
    """Who listens on a TCP port of this machine; None: nobody, or somebody that this process may
    not look into.
    """
    sockets = set()
    for table in ("tcp", "tcp6"):
        for line in (PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[_SOCKET_STATE] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{fields[_SOCKET_INODE]}]")
    for stat in all_processes() if sockets else []:
        with contextlib.suppress(OSError):
            for held in (PROC / str(stat.pid) / "fd").iterdir():
                if str(held.readlink()) in sockets:
                    return stat.pid
    return None


def boot_id() -> str:
    """Changes with every boot; empty where the kernel does not say."""
    try:
        return (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def wait_for_end(pid: int, seconds: float) -> None:
    """Wait, without polling, until a process has ended or the time is over; any process will do.

    A zombie has ended.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        waiter = select.poll()
        waiter.register(descriptor, select.POLLIN)
        waiter.poll(max(0.0, seconds) * 1000)
    finally:
        os.close(descriptor)


def session_members(session: int, directory: Path) -> list[ProcessStat]:
    """Live processes of a session, its leader aside, that work in a directory or below it."""
    found = []
    for stat in all_processes():
        if stat.session == session and stat.pid != session and stat.alive:
            where = working_directory(stat.pid)
            if where is not None and where.is_relative_to(directory):
                found.append(stat)
    return found


def executable_of(pid: int) -> Path | None:
    """The program that a process runs; None when it is gone or belongs to another user."""
    try:
        return Path((PROC / str(pid) / "exe").readlink())
    except OSError:
        return None


def children(pid: int) -> tuple[int, ...]:
    """Processes that the main thread of a process forked and that are still there; cheap. None at
    all where the kernel keeps no such list.
    """
    try:
        text = (PROC / str(pid) / "task" / str(pid) / "children").read_text(encoding="ascii")
    except OSError:
        return ()
    return tuple(int(child) for child in text.split())


@dataclass(frozen=True)
class DiskTraffic:
    """Bytes that a process has caused to pass between memory and disks since its start."""

    read: int
    written: int
    """Handed to the disk or meant to be: what is overwritten in memory before is counted too."""


def disk_traffic(pid: int) -> DiskTraffic | None:
    """`read_bytes` and `write_bytes` of /proc/PID/io (proc(5)): what page caches answered is not in
    it. None when the process is gone or belongs to another user, or the kernel does not count.
    """
    try:
        lines = (PROC / str(pid) / "io").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    counts = {name: int(value) for name, _, value in (line.partition(":") for line in lines)}
    if "read_bytes" not in counts or "write_bytes" not in counts:
        return None
    return DiskTraffic(counts["read_bytes"], counts["write_bytes"])


@dataclass(frozen=True)
class InterfaceTraffic:
    """What passed a network interface since it is there. Loopback has each packet twice: sent, and
    received.
    """

    received_bytes: int
    received_packets: int
    sent_bytes: int
    sent_packets: int


def network_namespace(pid: int) -> str | None:
    """Names the network namespace that a process is in; None when that cannot be seen."""
    try:
        return str((PROC / str(pid) / "ns" / "net").readlink())
    except OSError:
        return None


def interface_traffic(pid: int) -> dict[str, InterfaceTraffic]:
    """Traffic by interface, in the namespace of a process; nothing when the process is gone."""
    try:
        lines = (PROC / str(pid) / "net" / "dev").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        name, colon, rest = line.partition(":")
        counts = rest.split()
        if colon and len(counts) > _SENT_PACKETS:
            found[name.strip()] = InterfaceTraffic(
                *(int(counts[n]) for n in (0, 1, _SENT_BYTES, _SENT_PACKETS))
            )
    return found
