"""Brings the files of an attempt to the platform, when it has ended.

A file that is not taken costs the run nothing else: the attempt's log says why it is missing.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog
from weighhouse_sdk.keeping import kept

from weighhouse_agent.clients import NeverTaken, Refused
from weighhouse_agent.home import AttemptDirectory

LOG = structlog.get_logger("weighhouse_agent")
FOR_THIS_ONE = frozenset({409, 413, 422})
"""Answers that say: not this file; the next may have room."""

Has = Callable[[str], bool]
Put = Callable[[str, str, bytes], None]


@dataclass(frozen=True)
class FileSender:
    """The files of one attempt. Repeatable: what the platform has is not sent again.

    :param has: whether the platform has a file of this attempt, by its SHA-256.
    :param put: stores a file: SHA-256, name, content.
    """

    directory: AttemptDirectory
    has: Has
    put: Put

    def finish(self) -> None:
        """Send all; what is not taken is left.

        :raises GaveUp: when nobody waits any more.
        """
        waiting = [each for each in kept(self.directory.files) if each.stat().st_size]
        while waiting:
            file = waiting.pop(0)
            try:
                self._send(file)
            except Refused as error:
                self._tell(file.name, error)
                if isinstance(error, NeverTaken) or error.status not in FOR_THIS_ONE:
                    for other in waiting:
                        self._tell(other.name, error)
                    return

    def _send(self, file: Path) -> None:
        content = file.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        if not self.has(sha256):
            self.put(sha256, file.name, content)

    def _tell(self, name: str, error: Refused) -> None:
        LOG.warning("file not taken", name=name, reason=str(error))
        with self.directory.own_log.open("a", encoding="utf-8") as log:
            log.write(f"not taken by the platform: {name}: {error.detail}\n")
