"""One clock for all the processes of an attempt on a machine.

The time of day may be set while something is measured, by NTP, by hand, or after a pause of a
virtual machine; lengths told by it would be wrong, and events out of order. So an attempt reads it
once, before it begins: from then on its time is that anchor plus the steady clock, which all
processes of a machine share. Its children are told the anchor in `WEIGHHOUSE_CLOCK`.
"""

import os
import time

VARIABLE = "WEIGHHOUSE_CLOCK"
READINGS = 16


def anchor_us() -> int:
    """What the time of day is ahead of the steady clock, µs. Both are read several times: between
    two readings a busy machine does other things. The closest readings count.
    """
    readings = []
    for _ in range(READINGS):
        before = time.monotonic_ns()
        wall = time.time_ns()
        apart = time.monotonic_ns() - before
        readings.append((apart, wall - before - apart // 2))
    return min(readings)[1] // 1000


def _told() -> int | None:
    told = os.environ.get(VARIABLE, "")
    return int(told) if told.removeprefix("-").isdigit() else None


class SystemClock:
    """The machine's clock, which nobody sets once it is there.

    :param anchor: as `anchor_us`; None: as the environment tells, else as it is now.
    """

    def __init__(self, anchor: int | None = None) -> None:
        told = _told() if anchor is None else anchor
        self.anchor_us = anchor_us() if told is None else told
        """Unix µs when the steady clock stood at 0."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def now_us(self) -> int:
        """Unix time, µs; as far off as the time of day was at the anchor, and steady since."""
        return self.anchor_us + time.monotonic_ns() // 1000

    def stepped_us(self) -> int:
        """How far the time of day has been set ahead since the anchor, µs; negative: back.

        A clock that is slewed towards the right time is not set: the steady clock goes along.
        """
        return anchor_us() - self.anchor_us
