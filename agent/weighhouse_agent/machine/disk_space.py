"""Room on this machine's disk: whether there is enough for another run, and what is kept for the
end of one that has filled it.

Nothing that was measured is ever dropped to make room. An agent without room claims nothing, says
so, and goes on by itself when there is some again.
"""

import contextlib
import errno
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from weighhouse_sdk.errors import PluginError

from weighhouse_agent.machine.home import AttemptDirectory, Home, write_atomically
from weighhouse_agent.machine.policy import Machine, PolicyFile, PolicyRefused

MEBIBYTE = 1 << 20
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the kernel says when nothing more can be written."""
RESERVE_BYTES = MEBIBYTE
"""Given back to the file system to write an outcome when it is full."""
ROOM_SECONDS = 2.0
"""Between two looks at the disk."""
LEFT_OF_SPARE = 4
"""A run that has taken more than is to be spare ends when this part of that is all that is left."""
BLOCK_BYTES = 512
"""In which `stat` counts, whatever the file system's are."""


class DiskFull(PluginError):
    """What is measured cannot be kept any more."""


class DiskTaken(DiskFull):
    """The run itself has filled the disk, or what it may have of it: it would do so again."""

    kind = "policy"


def is_full(error: OSError) -> bool:
    """Whether a write failed for want of room."""
    return error.errno in FULL


@dataclass(frozen=True)
class Room:
    """The disk below an agent's home."""

    home: Home

    def trouble(self) -> str | None:
        """Why there is no room for another run, in words that stay the same; None: there is."""
        machine = machine_of(self.home)
        quota, spare = machine.spool_mebibytes, machine.spare_mebibytes
        if _free_bytes(self.home) < spare * MEBIBYTE:
            return (
                f"its disk is full: less than {spare} MiB are free below {self.home.path}"
                " (machine.spare_mebibytes in its policy.toml)"
            )
        if spooled_bytes(self.home) > quota * MEBIBYTE:
            return (
                f"more than {quota} MiB wait for delivery in {self.home.path}"
                " (machine.spool_mebibytes in its policy.toml)"
            )
        self._reserve()
        return None

    def _reserve(self) -> None:
        if self.home.reserve.exists():
            return
        with contextlib.suppress(OSError), self.home.reserve.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)


def machine_of(home: Home) -> Machine:
    """How a machine runs things; of a policy that is not valid, as if it said nothing."""
    try:
        return PolicyFile(home.policy).read().machine
    except PolicyRefused:
        return Machine()


@dataclass(frozen=True)
class Taken:
    """More of the disk than a run may have."""

    message: str
    hint: str


def taken_by(directory: AttemptDirectory) -> Taken | None:
    """Whether a run has taken more of the disk than it may, or has filled it; None: neither.

    The disk is walked only where there is a limit, or hardly any room.
    """
    machine = machine_of(directory.home)
    limit, spare = machine.max_disk_mebibytes, machine.spare_mebibytes
    full = _free_bytes(directory.home) < spare * MEBIBYTE // LEFT_OF_SPARE
    if not limit and not full:
        return None
    by_folder = _stored(directory.path)
    taken = by_folder.total() // MEBIBYTE
    where = max(by_folder, key=lambda name: by_folder[name], default="")
    folder = f"{directory.path / where}, with {by_folder[where] // MEBIBYTE} MiB"
    if limit and taken > limit:
        return Taken(
            f"the run has taken {taken} MiB of this machine's disk, and may take {limit}"
            " (machine.max_disk_mebibytes in its policy.toml)",
            f"the most lies in {folder}; give it fewer records, or let it have more",
        )
    if full and taken > spare:
        return Taken(
            f"the run has filled this machine's disk: it has taken {taken} MiB, and less than"
            f" {max(1, spare // LEFT_OF_SPARE)} MiB are left",
            f"the most lies in {folder}; give it fewer records, or a larger disk",
        )
    return None


def disk_full(directory: AttemptDirectory, what: str) -> DiskFull:
    """The error for what could not be kept of a run for want of room."""
    taken = taken_by(directory)
    if taken is not None:
        return DiskTaken(taken.message, taken.hint)
    return DiskFull(
        f"this machine's disk is full: {what} could not be kept",
        "make room below the agent's directory, or move it to a larger disk",
    )


def _stored(path: Path) -> Counter[str]:
    """What lies below a folder's own folders and files, by their names, bytes."""
    found: Counter[str] = Counter()
    for folder, _, files in os.walk(path):
        top = next(iter(Path(folder).relative_to(path).parts), ".")
        for name in files:
            with contextlib.suppress(OSError):
                stored = os.lstat(os.path.join(folder, name)).st_blocks  # noqa: PTH118
                found[name if top == "." else top] += stored * BLOCK_BYTES
    return found


def _free_bytes(home: Home) -> int:
    found = os.statvfs(home.path)
    return found.f_bavail * found.f_frsize


def spooled_bytes(home: Home) -> int:
    """What lies here for delivery, or to be looked at; not what systems under test store."""
    total = 0
    for place in (home.attempts_directory, home.set_aside_directory):
        for folder, folders, files in os.walk(place):
            if "system" in folders:
                folders.remove("system")
            for name in files:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118
    return total


def write_essential(home: Home, path: Path, text: str) -> None:
    """Write what an attempt cannot end without; on a full disk in the room that was reserved.

    :raises OSError: when there is none even so.
    """
    try:
        write_atomically(path, text)
    except OSError as error:
        if not is_full(error):
            raise
        home.reserve.unlink(missing_ok=True)
        write_atomically(path, text)
