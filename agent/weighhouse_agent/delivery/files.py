"""Brings the files of an attempt to the platform, when it has ended.

A file that is not taken costs the run nothing else: the attempt's log says why it is missing. The
outcome waits behind the files, so all of them together have a limit.
"""

import contextlib
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog
from weighhouse_sdk.kept_files import kept

from weighhouse_agent.delivery.platform_client import Refused
from weighhouse_agent.machine.home import AttemptDirectory

LOG = structlog.get_logger("weighhouse_agent")
LIMIT_SECONDS = 30.0
"""For all files of an attempt: well below the lease that its run has."""
FOR_THIS_ONE = frozenset({413, 422})
"""Answers that say: not this file; the next may do."""
QUOTA = "/quota-exceeded"
"""So ends the type of a problem that says the same: a smaller one may have room."""

Has = Callable[[str], bool]
Put = Callable[[str, str, bytes, float], None]


class TooLate(Exception):
    """The limit is over."""


@dataclass(frozen=True)
class FileSender:
    """The files of one attempt. Repeatable.

    :param has: whether the platform has a file of this attempt, by its SHA-256; None: none was
        sent before.
    :param put: stores a file: SHA-256, name, content, and when that is given up (by
        `time.monotonic`); raises TooLate then.
    """

    directory: AttemptDirectory
    has: Has | None
    put: Put

    def finish(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        """Send all; what is not taken is left.

        :raises GaveUp: when nobody waits any more.
        """
        end_at = time.monotonic() + limit_seconds
        waiting = kept(self.directory.files)
        while waiting:
            file = waiting.pop(0)
            try:
                self._send(file, end_at)
            except (TooLate, OSError) as error:
                self._tell(file.name, str(error))
            except Refused as error:
                self._tell(file.name, error.detail)
                if not _for_this_one(error):
                    for other in waiting:
                        self._tell(other.name, error.detail)
                    return

    def _send(self, file: Path, end_at: float) -> None:
        if time.monotonic() >= end_at:
            raise TooLate("there was no more time for it")
        content = file.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        if self.has is None or not self.has(sha256):
            self.put(sha256, file.name, content, end_at)

    def _tell(self, name: str, reason: str) -> None:
        LOG.warning("file not taken", name=name, reason=reason)
        with (
            contextlib.suppress(OSError),  # the disk may be full
            self.directory.own_log.open("a", encoding="utf-8") as log,
        ):
            log.write(f"not taken by the platform: {name}: {reason}\n")


def _for_this_one(refused: Refused) -> bool:
    return refused.status in FOR_THIS_ONE or str(refused.body.get("type")).endswith(QUOTA)
