"""Tokens and passwords: 256 random bits with a readable prefix, kept as hashes alone."""

import hashlib
import secrets
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

SHOWN = 10
HASHER = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
"""Of passwords; what a hash was made with stands in it."""


def new_token(kind: str) -> str:
    """A token: `whp_…` for API tokens, `whs_` logins, `whr_` registration, `wha_` agents, `wht_`
    attempts.

    :param kind: the letter after `wh`.
    """
    return f"wh{kind}_{secrets.token_urlsafe(32)}"


def token_hash(token: str) -> str:
    """SHA-256; enough for 256 random bits, and fast on every request."""
    return hashlib.sha256(token.encode()).hexdigest()


def token_prefix(token: str) -> str:
    """The beginning that may be shown."""
    return token[:SHOWN]


def hash_password(password: str) -> str:
    """Argon2id with the parameters of RFC 9106 for little memory."""
    return HASHER.hash(password)


@cache
def _nobody() -> str:
    """The hash of a password that nobody has."""
    return HASHER.hash(secrets.token_hex(16))


def password_fits(password_hash: str | None, password: str) -> bool:
    """Whether a password is right; takes as long when there is nobody to compare with."""
    try:
        return HASHER.verify(password_hash or _nobody(), password) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False
