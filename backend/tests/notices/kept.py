"""What a project was told."""

from uuid import UUID

from sqlalchemy import select
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.notices.models import Notice


def notices_of(sessions: SessionFactory, project_id: UUID) -> list[Notice]:
    """A project's notices, oldest first."""
    with unit_of_work(sessions) as session:
        found = select(Notice).where(Notice.project_id == project_id).order_by(Notice.id)
        return list(session.scalars(found))


def told(sessions: SessionFactory, project_id: UUID) -> list[tuple[str, str]]:
    """Kind and title of each."""
    return [(row.kind, row.title) for row in notices_of(sessions, project_id)]
