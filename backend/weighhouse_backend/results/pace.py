"""How long agents gather events before they send them: longer, the more of them send."""

import threading
import time
from collections.abc import Callable

AIM = 40.0
"""Batches a second that one process takes in, at some 8 ms of its processor each: a third of it,
so that people who ask meanwhile are answered."""
MOST_SECONDS = 10.0
"""Whoever watches sees a run at least so often."""
WINDOW_SECONDS = 5.0


class Pace:
    """The pause that one process asks of those who send to it. Safe to share by threads.

    Nobody knows how many agents send to this process: a proxy shares them out among several, and
    they come and go. So it goes by what came. Who sends twice as seldom comes half as often: the
    pause that has the right number come is the last one, times what came by what should.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """:param now: monotonic time, s."""
        self._now = now
        self._lock = threading.Lock()
        self._began, self._came = now(), 0
        self._pause = 1.0

    def take(self) -> float | None:
        """Count a batch.

        :returns: how long its sender is to gather the next one, s; None: as long as usual.
        """
        with self._lock:
            self._came += 1
            lasted = self._now() - self._began
            if lasted >= WINDOW_SECONDS:
                wanted = self._pause * self._came / lasted / AIM
                # What came was sent by the pause before, in part: half the way there.
                self._pause = min(MOST_SECONDS, max(1.0, (self._pause + wanted) / 2))
                self._began, self._came = self._now(), 0
            return self._pause if self._pause > 1.0 else None
