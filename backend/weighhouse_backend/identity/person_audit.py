"""What a person did about themselves, or others about them, in the audit logs of all their
organizations.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.models import Membership, User
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.whence import whence

INSTALLATION = "installation"
"""Who acted, when it was somebody on the machine itself."""
ANYBODY = "anybody"
"""Who acted, when it takes no login."""


def record(
    session: Session, clock: Clock, user: User, action: str, actor: str | None = None
) -> None:
    """An entry at the oldest project of each organization, where its maintainers see it.

    :param actor: who did it; None: the person.
    """
    if actor is None:
        # Who signs in was nobody when the request came.
        asks = whence()
        asks.person_id = asks.person_id or user.id
    belongs = select(Membership.organization_id).where(Membership.user_id == user.id)
    organizations = session.scalars(belongs).all()
    for project_id in IdentityRepository(session).oldest_projects(organizations):
        audit.record(
            session, clock, actor=actor or user.name, action=action, subject=user.email,
            project_id=project_id,
        )  # fmt: skip
