"""Queries of invitations that several services share."""

import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import Invitation, User


def end_invitations(
    session: Session, organization_id: UUID, now: datetime.datetime, *of: ColumnElement[bool]
) -> int:
    """Take back those invitations into an organization that wait, and how many they were.

    :param of: which of them.
    """
    ended = session.execute(
        update(Invitation)
        .where(
            Invitation.organization_id == organization_id,
            Invitation.accepted_at.is_(None),
            Invitation.revoked_at.is_(None),
            *of,
        )
        .values(revoked_at=now)
        .returning(Invitation.id)
    )
    return len(ended.all())


def to_address(email: str) -> ColumnElement[bool]:
    """Invitations of an address, capitals or not."""
    return func.lower(Invitation.email) == email.lower()


def to_person(user_id: UUID) -> ColumnElement[bool]:
    """Invitations of the address that a person has."""
    theirs = select(func.lower(User.email)).where(User.id == user_id)
    return func.lower(Invitation.email) == theirs.scalar_subquery()
