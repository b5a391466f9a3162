"""How much somebody may send in a minute: buckets of bytes in a process.

Requests are counted over all processes (`rates`); bytes bound what each process takes, by itself.
"""

import threading
import time
from collections.abc import Hashable

MINUTE_SECONDS = 60.0
MOST_KNOWN = 10_000
"""Buckets that are remembered; those that are full again are forgotten first."""


class Flows:
    """A bucket each, which holds a minute's worth and is filled evenly; for any thread."""

    def __init__(self, bytes_per_minute: int) -> None:
        """:param bytes_per_minute: 0: without limit."""
        self._most = bytes_per_minute
        self._lock = threading.Lock()
        self._left: dict[Hashable, tuple[float, float]] = {}

    def wait_seconds(self, who: Hashable, size: int) -> float:
        """Take bytes out of somebody's bucket.

        :returns: 0: they were taken; else how long until there are enough, and none was taken.
        """
        if not self._most:
            return 0.0
        rate, now = self._most / MINUTE_SECONDS, time.monotonic()
        with self._lock:
            left, at = self._left.get(who, (float(self._most), now))
            left = min(float(self._most), left + (now - at) * rate)
            wanted = min(size, self._most)
            wait = max(0.0, (wanted - left) / rate)
            self._left[who] = (left if wait else left - wanted, now)
            if len(self._left) > MOST_KNOWN:
                self._forget(now, rate)
        return wait

    def _forget(self, now: float, rate: float) -> None:
        full = [
            who for who, (left, at) in self._left.items() if left + (now - at) * rate >= self._most
        ]
        for who in full or list(self._left)[: MOST_KNOWN // 2]:
            del self._left[who]
