"""How long agents wait before they call again: longer, the more of them call."""

import threading
import time
from collections.abc import Callable

WINDOW_SECONDS = 5.0


class Pace:
    """The pause that one process asks of those who call it. Safe to share by threads.

    Nobody knows how many agents call this process: a proxy shares them out among several, and they
    come and go. So it goes by the calls that came. Who calls half as often makes half as many: the
    pause that brings the right number is the last one, times those that came by those that should.
    """

    def __init__(
        self,
        aim: float,
        usual_seconds: float,
        most_seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """:param aim: calls a second that one process takes well.
        :param usual_seconds: the pause of those who are not asked for another.
        :param now: monotonic time, s.
        """
        self._aim, self._usual, self._most = aim, usual_seconds, most_seconds
        self._now = now
        self._lock = threading.Lock()
        self._began, self._came = now(), 0
        self._pause = usual_seconds

    @property
    def pause_seconds(self) -> float:
        """The pause that is asked for now."""
        return self._pause

    def take(self) -> float | None:
        """Count a call.

        :returns: how long its caller is to wait before the next, s; None: as long as usual.
        """
        with self._lock:
            self._came += 1
            lasted = self._now() - self._began
            if lasted >= WINDOW_SECONDS:
                times = self._came / lasted / self._aim
                # Of too many some wait already, and fewer come than would: so it is more than told.
                wanted = self._pause * (times * times if times > 1.0 else times)
                # What came was by the pause before, in part: half the way there.
                self._pause = min(self._most, max(self._usual, (self._pause + wanted) / 2))
                self._began, self._came = self._now(), 0
            return self._pause if self._pause > self._usual else None
