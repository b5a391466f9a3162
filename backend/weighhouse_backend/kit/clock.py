"""Time as a port, so that tests say what time it is."""

import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime.datetime:
        """This instant, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime.datetime:
        """This instant, in UTC."""
        return datetime.datetime.now(datetime.UTC)
