"""Tokens that hold once."""

import datetime

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import SpentToken


def spend(
    session: Session, digest: str, expires_at: datetime.datetime, now: datetime.datetime
) -> bool:
    """Note that a token was taken; of two at a time one is the first. What has expired is
    forgotten.

    :param digest: of what names it, and of what it is for.
    :param expires_at: from then on it does not hold anyway.
    :returns: whether it was the first time.
    """
    session.execute(delete(SpentToken).where(SpentToken.expires_at < now))
    noted = insert(SpentToken).values(digest=digest, expires_at=expires_at)
    first = noted.on_conflict_do_nothing().returning(SpentToken.digest)
    return session.scalar(first) is not None
