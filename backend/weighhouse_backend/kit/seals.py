"""Secrets at rest: readable with the installation's secret alone, not from the database.

Fernet (AES-128-CBC with HMAC-SHA-256) of the `cryptography` library; its keys are derived from the
installation's secrets with HKDF-SHA-256 (RFC 5869), apart from those that sign links. What was
sealed with a former secret is read as long as that secret is named in the settings.
"""

from base64 import urlsafe_b64encode
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from weighhouse_backend.kit.problems import Unavailable
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secrets_of

PURPOSE = b"weighhouse: secrets at rest, 1"
KEY_BYTES = 32
SEALED = {"sealed": True}
"""The `info` of columns that hold what is sealed, by which all of them are found."""


class CannotUnseal(
    Unavailable, title="A stored secret cannot be read with the platform's secret key"
):
    """A stored secret was sealed with another key."""


class Seal:
    """Seals texts, and opens what it or a former secret sealed."""

    def __init__(self, secret: bytes, former: Sequence[bytes] = ()) -> None:
        """Derive the keys.

        :param secret: the installation's.
        :param former: what it was before, newest first.
        """
        keys = [Fernet(_key(one)) for one in (secret, *former)]
        self._present, self._keys = keys[0], MultiFernet(keys)

    def close(self, text: str) -> str:
        """The text, sealed with the present secret."""
        return self._keys.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """What was sealed.

        :raises CannotUnseal: when no known secret sealed it.
        """
        try:
            return self._keys.decrypt(sealed.encode()).decode()
        except InvalidToken as error:
            raise CannotUnseal(_MENDED) from error

    def is_present(self, sealed: str) -> bool:
        """Whether the present secret sealed it."""
        try:
            self._present.decrypt(sealed.encode())
        except InvalidToken:
            return False
        return True

    def anew(self, sealed: str) -> str:
        """The same text, sealed with the present secret.

        :raises CannotUnseal: when no known secret sealed it.
        """
        try:
            return self._keys.rotate(sealed.encode()).decode()
        except InvalidToken as error:
            raise CannotUnseal(_MENDED) from error


_MENDED = (
    "name the secret that it was sealed with in WEIGHHOUSE_FORMER_SECRET_KEYS and start the "
    "platform again, or enter the stored secret anew"
)


def seal_of(settings: Settings) -> Seal:
    """The installation's seal.

    :raises NoSecretKey: when it has no secret.
    """
    secret, *former = secrets_of(settings)
    return Seal(secret, former)


def _key(secret: bytes) -> bytes:
    return urlsafe_b64encode(HKDF(SHA256(), KEY_BYTES, None, PURPOSE).derive(secret))
