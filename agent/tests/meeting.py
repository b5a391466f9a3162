"""Where the members of a gang meet: the barriers of the agents' protocol in memory, strict."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any

from weighhouse_protocol.order import Arrival, AttemptOrder, BarrierState, barriers

LEAD_US = 400_000
TIMED = ("connected", "phase-")


@dataclass
class Meeting:
    """The barriers of one attempt, shared by the platforms of its members."""

    ahead_us: int = 0
    """How far the platform's clock is ahead of the agents'."""
    arrivals: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    begins: dict[str, int] = field(default_factory=dict)
    """Barrier → when what follows begins, by the platform's clock."""
    posted: list[tuple[int, str]] = field(default_factory=list)
    """Member and barrier of every call, repetitions included."""
    gone: set[int] = field(default_factory=set)
    """Members that failed: the others are told to stop."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def now_us(self) -> int:
        return time.time_ns() // 1000 + self.ahead_us

    def is_gone(self, member: int) -> None:
        with self.changed:
            self.gone.add(member)
            self.changed.notify_all()

    def arrive(self, order: AttemptOrder, name: str, body: Arrival) -> BarrierState:
        received_at_us = self.now_us()
        everybody = {each.index for each in order.gang}
        with self.changed:
            self.posted.append((order.member, name))
            there = self.arrivals.setdefault(name, {})
            there.setdefault(order.member, body.payload)
            self.changed.notify_all()
            self.changed.wait_for(
                lambda: everybody <= set(there) or self.gone - {order.member}, body.wait_seconds
            )
            released = everybody <= set(there)
            if released and name.startswith(TIMED):
                self.begins.setdefault(name, self.now_us() + LEAD_US)
            return BarrierState(
                name=name,
                released=released,
                begins_at_us=self.begins.get(name),
                payloads=there if released else {},
                waiting_for=tuple(sorted(everybody - set(there))),
                cancel="graceful" if self.gone - {order.member} else "none",
                received_at_us=received_at_us,
                answered_at_us=self.now_us(),
            )

    def breach(self, order: AttemptOrder, name: str) -> str | None:
        """What is wrong with an arrival; None: nothing."""
        names = barriers(len(order.phases))
        if name not in names:
            return f"there is no barrier {name}"
        for earlier in names[: names.index(name)]:
            if len(self.arrivals.get(earlier, {})) < len(order.gang):
                return f"{name} before {earlier} was released"
        return None
