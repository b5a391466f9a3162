"""Room on this machine's disk: whether there is enough for another run, and what is kept for the
end of one that has filled it.

Nothing that was measured is ever dropped to make room. An agent without room claims nothing, says
so, and goes on by itself when there is some again.
"""

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path

from weighhouse_sdk.errors import PluginError

from weighhouse_agent.home import Home, write_atomically
from weighhouse_agent.policy import Machine, PolicyFile, PolicyRefused

MEBIBYTE = 1 << 20
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the kernel says when nothing more can be written."""
RESERVE_BYTES = MEBIBYTE
"""Given back to the file system to write an outcome when it is full."""


class DiskFull(PluginError):
    """What is measured cannot be kept any more."""


def is_full(error: OSError) -> bool:
    """Whether a write failed for want of room."""
    return error.errno in FULL


@dataclass(frozen=True)
class Room:
    """The disk below an agent's home."""

    home: Home

    def trouble(self) -> str | None:
        """Why there is no room for another run, in words that stay the same; None: there is."""
        machine = self._policy()
        quota, spare = machine.spool_mebibytes, machine.spare_mebibytes
        found = os.statvfs(self.home.path)
        if found.f_bavail * found.f_frsize < spare * MEBIBYTE:
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

    def _policy(self) -> Machine:
        try:
            return PolicyFile(self.home.policy).read().machine
        except PolicyRefused:
            return Machine()

    def _reserve(self) -> None:
        if self.home.reserve.exists():
            return
        with contextlib.suppress(OSError), self.home.reserve.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)


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
