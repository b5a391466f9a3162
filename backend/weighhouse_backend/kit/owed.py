"""Work that is owed: which jobs about which subject are not done, and how often they were tried.

A job that fails is tried again by the sweep, a bounded number of times; then it is given up, with
the reason. What is noted here is noted by transactions of their own, so that a try counts also when
whoever made it was killed, and Redis may be emptied at any time.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Text, delete, func, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from weighhouse_backend.kit.db import Base

MOST_TRIES = 5
"""Of one job about one subject."""


class OwedJob(Base):
    """A job that is owed to a subject."""

    __tablename__ = "owed_jobs"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    """As the worker knows it."""
    subject: Mapped[UUID] = mapped_column(primary_key=True)
    """A run, a campaign, an attempt."""
    arguments: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """What it is sent with."""
    tries: Mapped[int] = mapped_column(default=0)
    """That were begun."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Why the latest try failed; none: it was not told."""
    asked_at: Mapped[datetime.datetime]


@dataclass(frozen=True)
class Try:
    """A try at a job."""

    number: int
    """From 1."""
    reason: str | None
    """Why the one before failed; None: there was none, or whoever made it was killed."""
    asked_at: datetime.datetime
    """When what it is a try at was asked for."""


def owe(
    session: Session, now: datetime.datetime, name: str, subject: UUID, arguments: dict[str, Any]
) -> None:
    """Note that a job has to be done, in the transaction that makes it necessary; what was owed
    before is replaced, and begins to count anew.
    """
    asked = {"arguments": arguments, "asked_at": now, "tries": 0, "reason": None}
    made = insert(OwedJob).values(name=name, subject=subject, **asked)
    session.execute(made.on_conflict_do_update(index_elements=["name", "subject"], set_=asked))


def alone(session: Session, name: str, subject: UUID) -> bool:
    """Whether nobody else is at a job, until the end of the transaction; whoever is killed is at it
    no longer.
    """
    key = func.hashtextextended(f"{name} {subject}", 0)
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(key))))


def begin(session: Session, now: datetime.datetime, name: str, subject: UUID) -> Try:
    """Count a try."""
    made = insert(OwedJob).values(name=name, subject=subject, asked_at=now, arguments={}, tries=1)
    counted = made.on_conflict_do_update(
        index_elements=["name", "subject"], set_={"tries": OwedJob.tries + 1}
    )
    kept = counted.returning(OwedJob.tries, OwedJob.reason, OwedJob.asked_at)
    return Try(*session.execute(kept).one())


def failed(session: Session, name: str, subject: UUID, reason: str) -> None:
    """Note why a try failed."""
    session.execute(update(OwedJob).where(_is(name, subject)).values(reason=reason))


def uncounted(session: Session, name: str, subject: UUID) -> None:
    """A try ended for want of what everything needs: it says nothing of the job."""
    found = update(OwedJob).where(_is(name, subject), OwedJob.tries > 0)
    session.execute(found.values(tries=OwedJob.tries - 1))


def done(session: Session, name: str, subject: UUID, asked_at: datetime.datetime) -> None:
    """What was asked for then is owed no more: it is done, or given up. What was asked for anew
    meanwhile is owed on.
    """
    session.execute(delete(OwedJob).where(_is(name, subject), OwedJob.asked_at == asked_at))


def waiting(session: Session, name: str, before: datetime.datetime) -> Sequence[OwedJob]:
    """What has been owed since before an instant."""
    return session.scalars(
        select(OwedJob).where(OwedJob.name == name, OwedJob.asked_at < before)
    ).all()


def _is(name: str, subject: UUID) -> Any:
    return (OwedJob.name == name) & (OwedJob.subject == subject)
