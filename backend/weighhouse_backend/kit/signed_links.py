"""Links that nobody can make who does not know the installation's secret.

A link carries the identifier of its row and when it ends, with an HMAC-SHA-256 over both (RFC
2104). The database alone is not enough to make one, and nothing that is not signed reaches it. What
a link is for, and whether it was used or revoked, stands in its row. Pure but for reading the
secret.
"""

import base64
import binascii
import datetime
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol import pages
from weighhouse_protocol.pages import PagePath

from weighhouse_backend.kit.problems import Unavailable
from weighhouse_backend.kit.settings import Settings

LEAST_SECRET = 16
ID_BYTES, END_BYTES = 16, 8


class NoSecretKey(Unavailable, title="The platform has no secret key to sign links with"):
    """Links cannot be signed."""


class LinkUnknown(Exception):
    """It was not signed here for this purpose."""


class LinkEnded(Exception):
    """Its time is over."""


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


def secrets_of(settings: Settings) -> list[bytes]:
    """The installation's secret, and what it was before, newest first.

    :raises NoSecretKey: as `secret_of`.
    """
    return [secret_of(settings), *_former(settings)]


def has_former(settings: Settings) -> bool:
    """Whether the installation's secret was changed, and what it was before is named."""
    return bool(_former(settings))


def _former(settings: Settings) -> list[bytes]:
    named = settings.former_secret_keys
    former = named.get_secret_value().split(",") if named else []
    kept = settings.former_secret_keys_file
    if kept is not None and kept.is_file():
        former += kept.read_text(encoding="utf-8").splitlines()
    return [one.strip().encode() for one in former if one.strip()]


@dataclass(frozen=True)
class LinkKind:
    """What links are for; one kind is never taken for another."""

    prefix: str
    """What they begin with, for people and scanners to recognise them."""
    purpose: bytes
    """Goes into the signature."""
    page: PagePath = pages.OVERVIEW
    """Where it leads, for example `/reply`."""

    def address(self, settings: Settings, token: str) -> str:
        """The link: its token stands behind the `#`, which browsers send to nobody, so that no log,
        no proxy and no other page learns it.
        """
        return f"{pages.at(settings.public_url, self.page)}#{token}"

    def signed(self, secret: bytes, link_id: UUID, expires_at: datetime.datetime) -> str:
        """The link's token."""
        body = link_id.bytes + int(expires_at.timestamp()).to_bytes(END_BYTES, "big")
        return self._token(body + self._mac(secret, body))

    def read(self, secrets: Sequence[bytes], token: str, now: datetime.datetime) -> UUID:
        """Which link a token is.

        :param secrets: any of which may have signed it.
        :raises LinkUnknown: when it was not signed here for this, letter by letter: of two texts
            that decode to the same bytes only the one that was signed is a link.
        :raises LinkEnded: when it was, and its time is over.
        """
        encoded = token.removeprefix(self.prefix)
        try:
            data = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        except (ValueError, binascii.Error) as error:
            raise LinkUnknown from error
        body, mac = data[: ID_BYTES + END_BYTES], data[ID_BYTES + END_BYTES :]
        fits = [hmac.compare_digest(self._mac(secret, body), mac) for secret in secrets]
        if token != self._token(data) or not any(fits):
            raise LinkUnknown
        if now.timestamp() >= int.from_bytes(body[ID_BYTES:], "big"):
            raise LinkEnded
        return UUID(bytes=body[:ID_BYTES])

    def _token(self, data: bytes) -> str:
        return f"{self.prefix}{base64.urlsafe_b64encode(data).decode().rstrip('=')}"

    def _mac(self, secret: bytes, body: bytes) -> bytes:
        return hmac.new(secret, self.purpose + body, hashlib.sha256).digest()
