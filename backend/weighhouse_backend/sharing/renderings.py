"""What strangers are shown, made once for many of them.

A document is kept for some seconds; then one request makes it anew, and the others are given the
former one meanwhile. Whether it still may be shown is asked by every request, before it comes here.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

FRESH_SECONDS = 10.0
KEPT_SECONDS = 60.0
"""Longer nobody is given a former one."""
MOST_BYTES = 32 * 1024 * 1024
"""Of all that is kept."""


@dataclass
class _Kept:
    content: bytes
    made_at: float
    making: bool = field(default=False)


class Renderings:
    """A process's own. Safe to share by threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """:param now: seconds that only grow."""
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._bytes = 0
        self.made = 0
        """How many were made."""

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """A document, as it was some seconds ago at most.

        :param key: what it is, with all that it depends on.
        :param make: makes it; its errors are passed on.
        """
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                age = self._now() - found.made_at
                if age < FRESH_SECONDS or (found.making and age < KEPT_SECONDS):
                    self._kept.move_to_end(key)
                    return found.content
                found.making = True
        try:
            content = make()
        except BaseException:
            self._forget(key)
            raise
        self._keep(key, content)
        return content

    def _keep(self, key: Hashable, content: bytes) -> None:
        self._forget(key)
        with self._lock:
            self.made += 1
            if len(content) > MOST_BYTES // 4:
                return
            self._kept[key] = _Kept(content, self._now())
            self._bytes += len(content)
            while self._bytes > MOST_BYTES:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.content)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            if (former := self._kept.pop(key, None)) is not None:
                self._bytes -= len(former.content)
