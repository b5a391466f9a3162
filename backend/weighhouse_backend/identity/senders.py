"""Who sends a large body, before it is read."""

from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session

from weighhouse_backend.identity.access import recognize
from weighhouse_backend.identity.models import Project


def sender(request: Request, session: Session) -> UUID:
    """The organization that a large body comes from; or the person who is in none.

    :raises NotAuthenticated: when it is nobody, or not any more.
    """
    caller = recognize(request, session)
    projects = sorted(caller.roles)
    if not projects:
        return caller.id
    return session.get_one(Project, projects[0]).organization_id
