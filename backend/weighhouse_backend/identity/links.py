"""Kinds of signed links that people get by mail."""

import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from weighhouse_protocol import pages

from weighhouse_backend.identity.errors import LinkInvalid
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import LinkEnded, LinkKind, LinkUnknown, secrets_of

INVITATION = LinkKind(prefix="whi_", purpose=b"weighhouse invitation 1\0", page=pages.JOIN)
DOMAIN = LinkKind(prefix="whd_", purpose=b"weighhouse joining domain 1\0", page=pages.DOMAIN)
RESET = LinkKind(prefix="whn_", purpose=b"weighhouse password reset 1\0", page=pages.PASSWORD)


def row_of(kind: LinkKind, settings: Settings, token: str, now: datetime.datetime) -> UUID:
    """Which row a link is of.

    :raises LinkInvalid: when it was not signed here, or has ended.
    """
    try:
        return kind.read(secrets_of(settings), token, now)
    except LinkUnknown as error:
        raise LinkInvalid("it is not one of ours; is it complete?") from error
    except LinkEnded as error:
        raise LinkInvalid("it has ended; ask for another") from error


def _link(request: Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise LinkInvalid("what stands behind its # did not come along; open the whole link")
    return token.strip()


LinkDep = Annotated[str, Depends(_link)]
"""The token of the link that somebody came by."""
