"""Manifests as they were read: their content never changes, and reading one takes milliseconds."""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from pydantic import ValidationError
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.offered import refusal

MOST = 128
"""That are kept, those that were asked for last: a megabyte each at most."""

Read = Manifest | str
"""The manifest; or why it cannot be read."""


class Readings:
    """What this process read of manifests, by digest."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Read] = OrderedDict()
        self._lock = Lock()

    def known(self, digest: str) -> Read | None:
        """What was read before; None: nothing was."""
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
            return self._kept.get(digest)

    def read(self, digest: str, content: Mapping[str, object]) -> Read:
        """Read a manifest as it was kept."""
        found: Read
        try:
            found = Manifest.as_kept(content)
        except ValidationError as error:
            found = refusal(error)
        with self._lock:
            self._kept[digest] = found
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return found

    def forget(self) -> None:
        """As when the process begins."""
        with self._lock:
            self._kept.clear()


READINGS = Readings()
