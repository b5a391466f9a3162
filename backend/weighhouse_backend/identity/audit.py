"""The audit log: every change of access, and what later features add."""

from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import AuditEntry
from weighhouse_backend.kit.clock import Clock


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
    """Note an action in the transaction that carries it out; never put a secret in it."""
    session.add(
        AuditEntry(
            project_id=project_id,
            actor=actor,
            action=action,
            subject=subject,
            details=details,
            at=clock.now(),
        )
    )
