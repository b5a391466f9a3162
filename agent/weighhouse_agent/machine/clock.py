"""How far this machine's clock is from the platform's, estimated as NTP does it (RFC 5905).

Each call that tells four instants is an exchange: sent and heard here, received and answered there.
The exchange with the least error of the last dozen counts; its error is half of its round trip, and
grows with age by what a clock may drift (section 11.1, PHI).
"""

import contextlib
import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from weighhouse_protocol.report import ClockOffset
from weighhouse_sdk.clock import SystemClock, anchor_us

from weighhouse_agent.machine.home import AttemptDirectory, read_text, write_atomically

DOZEN = 12
DRIFT = 15e-6
"""Seconds a second that two clocks may go apart: RFC 5905, section 7.2, PHI."""


def steady_us() -> int:
    """A clock of this machine that nobody sets, µs from somewhere."""
    return time.monotonic_ns() // 1000


def clock_of(directory: AttemptDirectory, *, new: bool = False) -> SystemClock:
    """The clock of an attempt, which its process and this agent share; made by who asks first.

    :param new: whether the attempt is about to begin: what may lie there is of a boot before.
    """
    text = None if new else read_text(directory.clock)
    if text is not None:
        return SystemClock(int(json.loads(text)["anchor_us"]))
    clock = SystemClock(anchor_us())
    # On a full disk each has its own: alike, as long as nobody sets the clock between the two.
    with contextlib.suppress(OSError):
        write_atomically(directory.clock, json.dumps({"anchor_us": clock.anchor_us}))
    return clock


@dataclass(frozen=True)
class Exchange:
    """One call and its answer, µs. Here by the steady clock, so that setting this machine's clock
    spoils no exchange; there by the platform's.
    """

    sent_us: int
    received_us: int
    answered_us: int
    heard_us: int

    @property
    def round_trip_us(self) -> int:
        """What the call spent on its way: without the time that the platform kept it."""
        return (self.heard_us - self.sent_us) - (self.answered_us - self.received_us)

    @property
    def offset_us(self) -> int:
        """The platform's clock less the steady one, if both ways took alike (RFC 5905)."""
        there, back = self.received_us - self.sent_us, self.answered_us - self.heard_us
        return (there + back) // 2

    def error_us(self, now_us: int) -> int:
        """The offset is right within this, at an instant of the steady clock."""
        drift = DRIFT * max(0, now_us - self.sent_us)
        return round(max(0, self.round_trip_us) / 2 + drift) + 1

    def agrees(self, earlier: "Exchange") -> bool:
        """Whether one offset can be right by both, at the time of this one."""
        error_us = self.error_us(self.heard_us) + earlier.error_us(self.heard_us)
        return abs(self.offset_us - earlier.offset_us) <= error_us

    @property
    def possible(self) -> bool:
        """Whether the platform's two instants fit between this machine's, but for drift."""
        slack = 1 + DRIFT * (self.heard_us - self.sent_us) * 2
        return self.answered_us >= self.received_us and self.round_trip_us >= -slack


def best(exchanges: list[Exchange], now_us: int) -> Exchange | None:
    """The exchange of the least error at an instant of the steady clock; None without one."""
    return min(exchanges, key=lambda each: each.error_us(now_us), default=None)


@dataclass
class ClockEstimate:
    """What the latest exchanges tell. Safe to use from several threads.

    :param clock: of the attempt, which the platform's is held against.
    """

    clock: SystemClock = field(default_factory=SystemClock)
    _exchanges: deque[Exchange] = field(default_factory=lambda: deque(maxlen=DOZEN))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, exchange: Exchange) -> None:
        """Remember an exchange; one that cannot be (the platform's clock was set) is left out.

        Earlier ones that it contradicts are forgotten: the steady clock stood still meanwhile, in
        a suspended machine, or the platform's was set.
        """
        if exchange.possible:
            with self._lock:
                agreeing = [each for each in self._exchanges if exchange.agrees(each)]
                self._exchanges = deque([*agreeing, exchange], maxlen=DOZEN)

    def heard(self, sent_us: int, received_us: int | None, answered_us: int | None) -> None:
        """Remember the exchange whose answer has just come.

        :param sent_us: when the call left, by the steady clock.
        :param received_us: what the platform told; None: it is too old to.
        """
        if received_us is not None and answered_us is not None:
            self.take(Exchange(sent_us, received_us, answered_us, steady_us()))

    def offset(self) -> ClockOffset | None:
        """The platform's clock less the attempt's; None before any exchange."""
        with self._lock:
            exchanges = list(self._exchanges)
        now_us = steady_us()
        found = best(exchanges, now_us)
        if found is None:
            return None
        return ClockOffset(
            offset_us=found.offset_us - self.clock.anchor_us,
            error_us=found.error_us(now_us),
            samples=len(exchanges),
        )
