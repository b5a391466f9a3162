"""Queries over everybody of an organization."""

import datetime
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session
from weighhouse_protocol.text import UNKEPT

from weighhouse_backend.identity.models import Membership, Project, User


def people_of(
    session: Session, organization_id: UUID, user_id: UUID | None = None, email: str | None = None
) -> Sequence[tuple[User, datetime.datetime]]:
    """People of an organization and since when they are in it, by id; one alone, if named."""
    if email is not None and UNKEPT.search(email):
        return []
    found = (
        select(User, Membership.created_at)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.organization_id == organization_id)
        .order_by(User.id)
    )
    if user_id is not None:
        found = found.where(User.id == user_id)
    if email is not None:
        found = found.where(func.lower(User.email) == email.lower())
    return [(user, since) for user, since in session.execute(found)]


def projects_of(session: Session, organization_id: UUID) -> Sequence[UUID]:
    """Projects of an organization, the oldest first."""
    found = select(Project.id).where(Project.organization_id == organization_id)
    return session.scalars(found.order_by(Project.created_at, Project.id)).all()
