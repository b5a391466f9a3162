"""Signed links by which a vendor answers."""

import datetime
from collections.abc import Sequence
from uuid import UUID

from weighhouse_protocol import pages

from weighhouse_backend.disclosure.errors import ReplyLinkInvalid
from weighhouse_backend.kit.signed_links import LinkEnded, LinkKind, LinkUnknown

REPLY = LinkKind(prefix="whv_", purpose=b"weighhouse reply link 1\0", page=pages.REPLY)


def read(secrets: Sequence[bytes], token: str, now: datetime.datetime) -> UUID:
    """Which link a token is.

    :param secrets: any of which may have signed it.
    :raises ReplyLinkInvalid: when it was not signed here, or has ended.
    """
    try:
        return REPLY.read(secrets, token, now)
    except LinkUnknown as error:
        raise ReplyLinkInvalid("it is not one of ours; is it complete?") from error
    except LinkEnded as error:
        raise ReplyLinkInvalid("it has ended; ask whoever sent it for another") from error
