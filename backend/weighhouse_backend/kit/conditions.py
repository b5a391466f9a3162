"""What is wrong with the platform now, by name: told by `/health/ready`, pages and metrics.

Whoever notices that something begins or ends says so here; a condition lasts until it is said to
have ended, so that what begins one also knows how its end is seen.
"""

import datetime
import errno
import threading
from collections.abc import Sequence
from typing import Literal

import structlog
from pydantic import BaseModel

log = structlog.get_logger(__name__)

ConditionName = Literal["no-space", "database-away", "redis-away", "worker-away", "task-failing"]
NO_SPACE: ConditionName = "no-space"
DATABASE_AWAY: ConditionName = "database-away"
REDIS_AWAY: ConditionName = "redis-away"
WORKER_AWAY: ConditionName = "worker-away"
TASK_FAILING: ConditionName = "task-failing"
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the kernel says when nothing more can be written."""


class ConditionRead(BaseModel):
    """Something that is wrong now."""

    name: ConditionName
    since: datetime.datetime
    detail: str
    """This occurrence in words; no secrets, and nothing of any tenant."""


class Conditions:
    """What holds now. Safe to share by threads; one a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[tuple[ConditionName, str], ConditionRead] = {}
        self.changes = 0
        """Grows whenever one begins or ends."""

    def begin(self, name: ConditionName, detail: str, about: str = "") -> None:
        """Something is wrong. Repeatable: since when stays, the words are the newest.

        :param about: tells several of one name apart, for example two disks.
        """
        with self._lock:
            held = self._held.get((name, about))
            since = held.since if held else datetime.datetime.now(datetime.UTC)
            self._held[name, about] = ConditionRead(name=name, since=since, detail=detail)
            self.changes += held is None
        if held is None:
            log.warning("condition_begins", condition=name, detail=detail)

    def end(self, name: ConditionName, about: str = "") -> None:
        """It is well again, or was all along."""
        with self._lock:
            held = self._held.pop((name, about), None)
            self.changes += held is not None
        if held is not None:
            log.warning("condition_ends", condition=name, since=held.since.isoformat())

    def holds(self, name: ConditionName, about: str = "") -> bool:
        """Whether one holds now."""
        with self._lock:
            return (name, about) in self._held

    def told(self) -> Sequence[ConditionRead]:
        """All that hold now, the oldest first."""
        with self._lock:
            return sorted(self._held.values(), key=lambda one: one.since)
