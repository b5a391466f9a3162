"""The audit log: every change of access, and what later features add."""

from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Uuid, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id


def record(
    session: Session,
    clock: Clock,
    *,
    actor: str,
    action: str,
    subject: str,
    project_id: UUID | None = None,
    **details: Any,
) -> None:
    """Note an action in the transaction that carries it out; never put a secret in it.

    A confined transaction cannot touch the table: the database notes for it, of its own projects.
    """
    note = func.weighhouse_note(
        literal(new_id(), Uuid()), literal(project_id, Uuid()), actor, action, subject,
        literal(details, JSONB()), literal(clock.now(), DateTime(timezone=True)),
    )  # fmt: skip
    # What was made in the same breath, a project perhaps, has to be stored before.
    session.flush()
    session.execute(select(note))
