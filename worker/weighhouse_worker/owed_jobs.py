"""Jobs about one subject: one worker at a time, a bounded number of tries, an end with a reason."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import DBAPIError
from weighhouse_backend.kit import owed
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.outages import outage_of, state_of

from weighhouse_worker.tools import Tools

log = structlog.get_logger(__name__)

KILLED = "whoever worked on it was ended each time; the machine's log tells whether memory ran out"
TOO_LONG = "it took longer than a task may"
REASON_LENGTH = 300
OF_THE_WORK = frozenset({"53200", "53400", "57014"})
"""What PostgreSQL says where the work itself may have asked for too much memory, more than is set,
or too much time. Such tries count."""


@dataclass(frozen=True)
class OwedTask:
    """A job about one subject, and what becomes of that when it cannot be done.

    :param work: does it, in transactions of its own.
    :param give_up: ends the subject with a reason, in words for people.
    """

    name: str
    work: Callable[[Tools, UUID], None]
    give_up: Callable[[Tools, UUID, str], None]

    def carry_out(self, tools: Tools, subject: UUID) -> None:
        """Try it, unless another worker is at it; after the last try that may be it is given up.

        :raises Exception: as the work does, while it will be tried again.
        """
        with tools.session() as guard:
            if not owed.alone(guard, self.name, subject):
                log.info("another_worker_is_at_it", subject=str(subject))
                return
            with tools.session() as session:
                now = owed.begin(session, SystemClock().now(), self.name, subject)
            if now.number > owed.MOST_TRIES:
                self._end(tools, subject, now, now.reason or KILLED)
                return
            try:
                self.work(tools, subject)
            except Exception as error:
                if _is_away(error):
                    with tools.session() as session:
                        owed.uncounted(session, self.name, subject)
                    raise
                reason = reason_of(error)
                with tools.session() as session:
                    owed.failed(session, self.name, subject, reason)
                if now.number < owed.MOST_TRIES:
                    raise
                log.warning("task_failed", error=repr(error), exc_info=True)
                self._end(tools, subject, now, reason)
                return
            with tools.session() as session:
                owed.done(session, self.name, subject, now.asked_at)

    def _end(self, tools: Tools, subject: UUID, now: owed.Try, reason: str) -> None:
        log.error("job_given_up", job=self.name, subject=str(subject), reason=reason)
        self.give_up(tools, subject, reason)
        with tools.session() as session:
            owed.done(session, self.name, subject, now.asked_at)


def reason_of(error: Exception) -> str:
    """Why work failed, for people: of the database what it says, without the rows it says it of."""
    if isinstance(error, SoftTimeLimitExceeded):
        return TOO_LONG
    said = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    line = next(iter(str(said).splitlines()), "")[:REASON_LENGTH]
    return f"{type(said).__name__}: {line}" if line else type(said).__name__


def _is_away(error: Exception) -> bool:
    """Whether what everything needs was not there: the database, Redis, room on a disk, what others
    hold. However long that lasts, it says nothing of the work.
    """
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return outage_of(error) is not None and state_of(error) not in OF_THE_WORK
