"""Signed links by which a vendor answers. Pure but for reading the secret.

A link carries the identifier of its row and when it ends, with an HMAC-SHA-256 over both (RFC 2104)
under the installation's secret. The database alone is not enough to make one, and nothing that is
not signed reaches it. What a link is for, and whether it was revoked, stands in its row.
"""

import base64
import binascii
import datetime
import hashlib
import hmac
from uuid import UUID

from weighhouse_backend.disclosure.errors import NoSecretKey, ReplyLinkInvalid
from weighhouse_backend.kit.settings import Settings

PREFIX = "whv_"
PURPOSE = b"weighhouse reply link 1\0"
LEAST_SECRET = 16
ID_BYTES, END_BYTES = 16, 8


def secret_of(settings: Settings) -> bytes:
    """The installation's secret.

    :raises NoSecretKey: when there is none, or it is too short.
    """
    if settings.secret_key is not None:
        secret = settings.secret_key.get_secret_value().strip().encode()
    elif settings.secret_key_file is not None and settings.secret_key_file.is_file():
        secret = settings.secret_key_file.read_bytes().strip()
    else:
        secret = b""
    if len(secret) < LEAST_SECRET:
        raise NoSecretKey(
            "set WEIGHHOUSE_SECRET_KEY or WEIGHHOUSE_SECRET_KEY_FILE (at least "
            f"{LEAST_SECRET} characters) and start the platform again"
        )
    return secret


def signed(secret: bytes, link_id: UUID, expires_at: datetime.datetime) -> str:
    """The link's token."""
    body = link_id.bytes + int(expires_at.timestamp()).to_bytes(END_BYTES, "big")
    token = base64.urlsafe_b64encode(body + _mac(secret, body)).decode().rstrip("=")
    return f"{PREFIX}{token}"


def read(secret: bytes, token: str, now: datetime.datetime) -> UUID:
    """Which link a token is.

    :raises ReplyLinkInvalid: when it was not signed here, or has ended.
    """
    encoded = token.removeprefix(PREFIX)
    try:
        data = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except (ValueError, binascii.Error) as error:
        raise ReplyLinkInvalid("it is not one of ours; is it complete?") from error
    body, mac = data[: ID_BYTES + END_BYTES], data[ID_BYTES + END_BYTES :]
    fits = token.startswith(PREFIX) and hmac.compare_digest(_mac(secret, body), mac)
    if not fits:
        raise ReplyLinkInvalid("it is not one of ours; is it complete?")
    if now.timestamp() >= int.from_bytes(body[ID_BYTES:], "big"):
        raise ReplyLinkInvalid("it has ended; ask whoever sent it for another")
    return UUID(bytes=body[:ID_BYTES])


def _mac(secret: bytes, body: bytes) -> bytes:
    return hmac.new(secret, PURPOSE + body, hashlib.sha256).digest()
