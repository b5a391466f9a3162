"""Control groups: what a node may use at most, what it used, and whether that ended it.

Both interfaces of the kernel are known, by Documentation/admin-guide of Linux: `cgroup-v1`, one
hierarchy for each controller, and `cgroup-v2`, one for all. A machine may have some controllers in
the one and some in the other.
"""

import contextlib
import errno
import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from weighhouse_protocol.target import Limits

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine import launch
from weighhouse_sdk.machine.limits import MEBIBYTE, cpu_limit, cpu_text, memory_limit, memory_text
from weighhouse_sdk.machine.procfs import PROC, wait_for_end
from weighhouse_sdk.machine.remains import Leftover
from weighhouse_sdk.machine.resource_usage import Usage

PERIOD_US = 100_000
"""Over which processor time is shared out: the kernel's own default."""
REMOVE_SECONDS = 10.0
"""How long the kernel may take to let a group go whose processes have ended."""
MEMBERS = "cgroup.procs"
HINT = (
    "limits are kept by control groups: run the agent as root on a machine that mounts the"
    " controllers, or ask for no limits"
)


@dataclass(frozen=True)
class Hierarchies:
    """Where this machine's controllers are."""

    apart: Mapping[str, Path]
    """Controller → where version 1 has it mounted."""
    unified: Path | None = None
    """Where version 2 is mounted."""
    roots: Mapping[Path, str] = field(default_factory=dict)
    """Mount → the group that is its root, where that is not the hierarchy's: in a container."""

    @classmethod
    def found(cls) -> "Hierarchies":
        """Of this machine, by /proc/self/mountinfo; of what is mounted more than once the place
        that no other mount hides, and of those the one that has the whole of it; else the first.
        """
        seen: list[tuple[bool, Path, str, str]] = []
        for line in (PROC / "self/mountinfo").read_text(encoding="utf-8").splitlines():
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            if kind in ("cgroup", "cgroup2"):
                device, root, mount = before.split()[2:5]
                where = Path(mount)
                named = options if kind == "cgroup" else ""
                seen.append((not _shows(where, device), where, root, named))
        seen.sort(key=lambda each: (each[0], each[2] != "/"))
        apart: dict[str, Path] = {}
        unified = None
        roots: dict[Path, str] = {}
        for _, where, root, named in seen:
            roots.setdefault(where, root)
            if not named:
                unified = unified or where
            for controller in named.split(",") if named else ():
                apart.setdefault(controller, where)
        return cls(apart, unified, roots)

    def group(self, mount: Path, path: str) -> Path:
        """The directory of a group as /proc/PID/cgroup names it; the mount itself where that is
        outside of what is mounted here.
        """
        root = self.roots.get(mount, "/")
        inside = path.removeprefix(root) if path.startswith(root) else ""
        place = mount / inside.lstrip("/")
        return place if place.is_dir() else mount

    def place(self, controller: str) -> Path | None:
        """Where groups of a controller are made; None: this machine does not have it."""
        if controller in self.apart:
            return self.apart[controller]
        offered = _first(self.unified, "cgroup.controllers") if self.unified else ""
        return self.unified if controller in offered.split() else None

    def problem(self, limits: Limits) -> str | None:
        """Why the limits cannot be kept here; None when they can."""
        for controller in controllers(limits):
            place = self.place(controller)
            if place is None:
                return f"the kernel offers no controller `{controller}`"
            if not os.access(place, os.W_OK):
                return f"no right to make groups in {place}"
        return None


def _shows(where: Path, device: str) -> bool:
    """Whether what a folder shows is the file system of a device, `MAJOR:MINOR`."""
    try:
        found = where.stat().st_dev
    except OSError:
        return False
    return f"{os.major(found)}:{os.minor(found)}" == device


def controllers(limits: Limits) -> tuple[str, ...]:
    """What the limits need of the kernel; empty when nothing is limited."""
    wanted = {"memory": limits.memory_mebibytes, "cpu": limits.cpus}
    return tuple(name for name, value in wanted.items() if value is not None)


def refuse_unless_kept(limits: Limits) -> None:
    """Ask whether this machine can keep limits.

    :raises DeployFailed: when it cannot, with the reason: nothing runs silently unlimited.
    """
    if controllers(limits):
        problem = Hierarchies.found().problem(limits)
        if problem is not None:
            raise DeployFailed(f"this machine cannot keep the limits: {problem}", HINT)


@dataclass(frozen=True)
class ControlGroup:
    """One node's group: a directory for each hierarchy it takes."""

    name: str
    places: Mapping[str, Path]
    """Controller → directory; one directory may stand for several."""
    record: Path | None = None
    kills_before: int = 0
    """What `oom_kills` was when the group was joined."""

    @property
    def directories(self) -> tuple[Path, ...]:
        """Each once."""
        return tuple(dict.fromkeys(self.places.values()))

    @property
    def member_files(self) -> tuple[str, ...]:
        """What a process writes its pid to when it joins."""
        return tuple(str(each / MEMBERS) for each in self.directories)

    def limits(self) -> dict[str, str]:
        """What the kernel says it keeps, as lines of an effective configuration."""
        found = {}
        memory, cpu = self.places.get("memory"), self.places.get("cpu")
        if memory is not None and (size := memory_limit(memory)) is not None:
            found["limits.memory"] = memory_text(size)
        if cpu is not None and (processors := cpu_limit(cpu)) is not None:
            found["limits.cpus"] = cpu_text(processors)
        return found

    def usage(self) -> Usage | None:
        """What its processes used, ended ones included; memory as anonymous and mapped pages.

        :returns: None when the group is gone, or no hierarchy of it counts both.
        """
        cpu_seconds = None
        for place in self.directories:
            nanoseconds = _first(place, "cpuacct.usage")
            microseconds = _lines(place, "cpu.stat").get("usage_usec")
            if nanoseconds:
                cpu_seconds = int(nanoseconds) / 1e9
            elif microseconds is not None:
                cpu_seconds = microseconds / 1e6
        memory = _lines(self.places["memory"], "memory.stat") if "memory" in self.places else {}
        apart = "total_rss" in memory
        names = ("total_rss", "total_mapped_file") if apart else ("anon", "file_mapped")
        if cpu_seconds is None or names[0] not in memory:
            return None
        return Usage(cpu_seconds, sum(memory.get(name, 0) for name in names))

    def oom_kills(self) -> int:
        """How many of its processes the kernel ended because the memory limit was reached."""
        place = self.places.get("memory")
        if place is None:
            return 0
        counted = _lines(place, "memory.oom_control") or _lines(place, "memory.events")
        return counted.get("oom_kill", 0)

    def reason(self) -> str:
        """Why its process ended, when that was the memory limit; else empty."""
        if self.oom_kills() <= self.kills_before:
            return ""
        return limit_reached(self.limits().get("limits.memory", ""))

    def remove(self) -> None:
        """End whatever is still in it, and remove it. Idempotent.

        :raises DeployFailed: when the kernel does not let it go.
        """
        end_at = time.monotonic() + REMOVE_SECONDS
        for directory in self.directories:
            _remove(directory, end_at)
        if self.record is not None:
            self.record.unlink(missing_ok=True)


@dataclass(frozen=True)
class ControlGroups:
    """The groups of one context.

    :param records: directory of the records, made when it is not there.
    :param directory: the context's own; its groups bear a name made of it.
    """

    records: Path
    directory: Path
    hierarchies: Hierarchies | None = field(default=None, repr=False)
    """Default: this machine's, looked up when a group is made."""

    @property
    def prefix(self) -> str:
        """What the names of all groups of this context begin with, and of no other."""
        digest = hashlib.sha256(str(self.directory).encode()).hexdigest()[:16]
        return f"weighhouse-{digest}-"

    def make(self, name: str, limits: Limits) -> ControlGroup | None:
        """Make a node's group and set its limits; one that is there already is used again.

        :returns: None when nothing is limited.
        :raises DeployFailed: when this machine cannot keep the limits.
        """
        wanted = controllers(limits)
        if not wanted:
            return None
        where = self.hierarchies or Hierarchies.found()
        problem = where.problem(limits)
        if problem is not None:
            raise DeployFailed(f"this machine cannot keep the limits: {problem}", HINT)
        # Both beside what is limited, to be counted.
        named = {each: where.place(each) for each in dict.fromkeys((*wanted, "memory", "cpuacct"))}
        places = {key: place / f"{self.prefix}{name}" for key, place in named.items() if place}
        self.records.mkdir(parents=True, exist_ok=True)
        record = self.records / f"{name}.json"
        kept = {key: str(place) for key, place in places.items()}
        launch.record(record, {"name": name, "places": kept})
        for controller, place in places.items():
            if place.parent == where.unified:
                _write(place.parent / "cgroup.subtree_control", f"+{controller}")
            with _kept_at(place):
                place.mkdir(exist_ok=True)
        for file, text in settings(places, limits):
            _write(file, text)
        group = ControlGroup(name, places, record)
        return ControlGroup(name, places, record, group.oom_kills())

    def leftovers(self) -> tuple[Leftover, ...]:
        """Groups on record that are there. Reads only."""
        return tuple(
            Leftover(group.name, kind="control group")
            for group in self._recorded()
            if any(each.exists() for each in group.directories)
        )

    def remove_leftovers(self, grace_seconds: float) -> tuple[Leftover, ...]:
        """End what is in them at once, for processes had their grace before; remove them.

        :raises DeployFailed: when the kernel does not let one go; its record stays.
        """
        del grace_seconds
        found = self.leftovers()
        for group in self._recorded():
            group.remove()
        with contextlib.suppress(OSError):
            self.records.rmdir()
        return found

    def _recorded(self) -> list[ControlGroup]:
        groups = []
        for path in sorted(self.records.glob("*.json")):
            told = json.loads(path.read_text(encoding="utf-8"))
            places = {key: Path(place) for key, place in told["places"].items()}
            # Whatever a record says: nothing that is not named as ours is touched.
            mine = {key: each for key, each in places.items() if each.name.startswith(self.prefix)}
            groups.append(ControlGroup(str(told["name"]), mine, path))
        return groups


def settings(places: Mapping[str, Path], limits: Limits) -> list[tuple[Path, str]]:
    """What is written where to set limits; a limit of memory is one of swap too."""
    written = []
    if limits.memory_mebibytes is not None:
        size, place = str(limits.memory_mebibytes * MEBIBYTE), places["memory"]
        if (place / "memory.max").exists():
            written += [(place / "memory.max", size), (place / "memory.swap.max", "0")]
        else:
            written.append((place / "memory.limit_in_bytes", size))
            written.append((place / "memory.memsw.limit_in_bytes", size))
    if limits.cpus is not None:
        quota, place = round(limits.cpus * PERIOD_US), places["cpu"]
        if (place / "cpu.max").exists():
            written.append((place / "cpu.max", f"{quota} {PERIOD_US}"))
        else:
            written.append((place / "cpu.cfs_period_us", str(PERIOD_US)))
            written.append((place / "cpu.cfs_quota_us", str(quota)))
    # A kernel that does not count swap has no such file.
    return [each for each in written if "sw" not in each[0].name or each[0].exists()]


def group_of(pid: int | str) -> ControlGroup | None:
    """The groups that a process (`self`: this one) is in, to be read; None when it is gone."""
    where = Hierarchies.found()
    places: dict[str, Path] = {}
    try:
        lines = (PROC / str(pid) / "cgroup").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    for line in lines:
        _, names, path = line.split(":", 2)
        for name in names.split(",") if names else ("memory", "cpu", "cpuset"):
            place = where.apart.get(name) if names else where.unified
            if place is not None:
                places.setdefault(name, where.group(place, path))
    return ControlGroup(str(pid), places)


def groups_above(pid: int | str, controller: str) -> tuple[Path, ...]:
    """The group of a controller that a process is in, and all above it that can be seen; the
    closest first; none where the controller is not there.
    """
    where, found = Hierarchies.found(), group_of(pid)
    mount, place = where.place(controller), found.places.get(controller) if found else None
    if mount is None or place is None:
        return ()
    return tuple(each for each in (place, *place.parents) if each.is_relative_to(mount))


def limit_reached(memory: str) -> str:
    """What is said of a process that the kernel ended for its memory."""
    return f"the kernel ended it, as it reached its limit of memory ({memory})"


@contextlib.contextmanager
def _kept_at(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DeployFailed(
            f"this machine cannot keep the limits: {place}: {error.strerror}", HINT
        ) from error


def _write(file: Path, text: str) -> None:
    with _kept_at(file):
        file.write_text(text, encoding="ascii")


def _remove(directory: Path, end_at: float) -> None:
    pause = threading.Event()
    while True:
        for pid in map(int, _first(directory, MEMBERS).split()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_for_end(pid, end_at - time.monotonic())
        try:
            directory.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > end_at:
                raise DeployFailed(
                    f"the control group {directory.name} cannot be removed: {error.strerror}",
                    "look for processes in it that wait for a disk",
                ) from error
            pause.wait(0.01)  # The kernel tells nobody when the last one has left.
        else:
            return


def _first(place: Path, *names: str) -> str:
    """What stands in the first of these files that is there; empty when none is."""
    for name in names:
        with contextlib.suppress(FileNotFoundError, OSError):
            return (place / name).read_text(encoding="ascii").strip()
    return ""


def _lines(place: Path, name: str) -> dict[str, int]:
    """A file of lines `name value`; empty when it is not there."""
    pairs = (line.split() for line in _first(place, name).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs}
