"""What strangers are shown, made once for many of them.

A document is kept for some seconds; then one request looks whether anything changed that it is made
of, and makes it anew if so; the others are given the former one meanwhile. Whether it still may be
shown is asked by every request, before it comes here.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

FRESH_SECONDS = 5.0
KEPT_SECONDS = 60.0
"""Longer nobody is given a former one that is being made anew."""
UNCHANGED_SECONDS = 600.0
"""After so long it is made anew, whatever did not change."""
MOST_BYTES = 32 * 1024 * 1024
"""Of all that is kept."""


@dataclass
class _Kept:
    content: bytes
    made_at: float
    making: bool = field(default=False)
    state: str = ""
    """Of what it is made of, as it was before it was made."""
    looked_at: float = 0.0


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

    def now(self) -> float:
        """Seconds that only grow, by which all that strangers are given ages."""
        return self._now()

    def get(
        self, key: Hashable, make: Callable[[], bytes], state: Callable[[], str] | None = None
    ) -> bytes:
        """A document, as it was some seconds ago at most.

        :param key: what it is, with all that it depends on.
        :param make: makes it; its errors are passed on.
        :param state: of all that it is made of: equal as long as it would be made alike.
        """
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                age = self._now() - found.looked_at
                if age < FRESH_SECONDS or (found.making and age < KEPT_SECONDS):
                    self._kept.move_to_end(key)
                    return found.content
                found.making = True
        try:
            now = self._now()
            stands = "" if state is None else state()
            same = found is not None and stands and found.state == stands
            if found is not None and same and now - found.made_at < UNCHANGED_SECONDS:
                found.looked_at, found.making = now, False
                return found.content
            content = make()
        except BaseException:
            self._forget(key)
            raise
        self._keep(key, content, stands)
        return content

    def forget(self) -> None:
        """Make everything anew that is asked for from here on."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _keep(self, key: Hashable, content: bytes, state: str) -> None:
        self._forget(key)
        with self._lock:
            self.made += 1
            if len(content) > MOST_BYTES // 4:
                return
            now = self._now()
            self._kept[key] = _Kept(content, now, state=state, looked_at=now)
            self._bytes += len(content)
            while self._bytes > MOST_BYTES:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.content)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            if (former := self._kept.pop(key, None)) is not None:
                self._bytes -= len(former.content)
