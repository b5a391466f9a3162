"""Tokens of links to what is shared, and of links whose password was said."""

import datetime
from collections.abc import Sequence
from uuid import UUID

from weighhouse_protocol import pages

from weighhouse_backend.kit.signed_links import LinkEnded, LinkKind, LinkUnknown

LINK = LinkKind(prefix="whl_", purpose=b"weighhouse share link 1\0", page=pages.SHARED)
UNLOCKED = LinkKind(prefix="who_", purpose=b"weighhouse unlocked share 1\0", page=pages.SHARED)
UNLOCKED_LASTS = datetime.timedelta(hours=12)
NOBODYS = UUID(int=0)


def read(kind: LinkKind, secrets: Sequence[bytes], token: str, now: datetime.datetime) -> UUID:
    """Which share a token is of; `NOBODYS` where it was not signed here, or has ended: it is looked
    for like every other, so that nothing tells them apart.
    """
    try:
        return kind.read(secrets, token, now)
    except (LinkUnknown, LinkEnded):
        return NOBODYS
