"""Idempotency keys: a creating POST that is repeated gives the first answer again."""

import datetime
import hashlib
from typing import Any
from uuid import UUID

from sqlalchemy import Text, delete, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.problems import Problem

KEPT = datetime.timedelta(hours=24)


class KeyReused(
    Problem,
    status=422,
    slug="idempotency-key-reused",
    title="This Idempotency-Key was used for another request",
):
    """The key was used before, for another request."""


class IdempotencyRecord(Base):
    """What a key stands for."""

    __tablename__ = "idempotency_records"

    scope: Mapped[str] = mapped_column(Text, primary_key=True)
    """Who asked for what: caller and route."""
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    request_hash: Mapped[str] = mapped_column(Text)
    result: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[datetime.datetime]


def request_hash(body: bytes) -> str:
    """Of a request's body."""
    return hashlib.sha256(body).hexdigest()


def claim(
    session: Session, scope: str, key: str, digest: str, now: datetime.datetime
) -> UUID | None:
    """Take a key, or learn what it made before.

    A second caller with the same key waits here until the first has committed.

    :returns: the id of what was made before, or None: go on, then call `settle`.
    :raises KeyReused: when the earlier request was another.
    """
    session.execute(delete(IdempotencyRecord).where(IdempotencyRecord.created_at < now - KEPT))
    values = {"scope": scope, "key": key, "request_hash": digest, "created_at": now}
    statement = insert(IdempotencyRecord).values(values).on_conflict_do_nothing()
    taken = session.execute(statement.returning(IdempotencyRecord.key)).first()
    if taken is not None:
        return None
    found = session.scalars(
        select(IdempotencyRecord).where(
            IdempotencyRecord.scope == scope, IdempotencyRecord.key == key
        )
    ).one()
    if found.request_hash != digest:
        raise KeyReused
    return UUID(found.result["id"]) if found.result else None


def settle(session: Session, scope: str, key: str, made: UUID) -> None:
    """Note what a key made; in the same transaction as the making."""
    record = session.get_one(IdempotencyRecord, (scope, key))
    record.result = {"id": str(made)}
