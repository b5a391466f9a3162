"""Who sends a large body, before it is read."""

from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session

from weighhouse_backend.identity.access import recognize


def sender(request: Request, session: Session) -> UUID:
    """The person, or the project of the token, that a large body comes from.

    :raises NotAuthenticated: when it is nobody, or not any more.
    """
    caller = recognize(request, session)
    return caller.person_id or next(iter(caller.roles))
