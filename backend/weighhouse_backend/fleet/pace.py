"""How long agents wait before they call again: longer, the more of them call."""

import threading
import time
from collections.abc import Callable

from starlette.requests import HTTPConnection

from weighhouse_backend.kit.rates import SCOPE_KEY, Visit

WINDOW_SECONDS = 5.0
LATE_SECONDS = 0.5
"""Calls that waited for so long are too many, however few were answered."""
MOST_TIMES = 2.0
"""So much longer a wait makes the pause at most; what it should be, nobody knows from that."""


class Pace:
    """The pause that one process asks of those who call it. Safe to share by threads.

    Nobody knows how many agents call this process: a proxy shares them out among several, and they
    come and go. So it goes by the calls that came. Who calls half as often makes half as many: the
    pause that brings the right number is the last one, times those that came by those that should.
    Where the process cannot answer even those, calls wait for their turn, and that tells it.
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
        self._began, self._came, self._waited = now(), 0, 0.0
        self._pause = usual_seconds

    @property
    def pause_seconds(self) -> float:
        """The pause that is asked for now."""
        return self._pause

    def take(self, waited_seconds: float = 0.0) -> float | None:
        """Count a call.

        :param waited_seconds: how long it waited for its turn, s.
        :returns: how long its caller is to wait before the next, s; None: as long as usual.
        """
        with self._lock:
            self._came += 1
            self._waited += waited_seconds
            lasted = self._now() - self._began
            if lasted >= WINDOW_SECONDS:
                late = self._waited / self._came / LATE_SECONDS
                times = max(self._came / lasted / self._aim, min(MOST_TIMES, late))
                # Of too many some wait already, and fewer come than would: so it is more than told.
                wanted = self._pause * (times * times if times > 1.0 else times)
                # What came was by the pause before, in part: half the way there.
                self._pause = min(self._most, max(self._usual, (self._pause + wanted) / 2))
                self._began, self._came, self._waited = self._now(), 0, 0.0
            return self._pause if self._pause > self._usual else None


def waited(request: HTTPConnection) -> float:
    """How long a request waited for its turn, s."""
    visit: Visit | None = request.scope.get(SCOPE_KEY)
    return 0.0 if visit is None else visit.waited_seconds
