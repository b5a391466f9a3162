"""What a CI service says of a pipeline: read once it is known to be its word, held to conditions.

Tokens of CI services are JWTs that their OpenID Connect issuer signs; RFC 7519 and RFC 8725.
"""

import base64
import fnmatch
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from weighhouse_backend.sign_in.oidc import ALGORITHMS, LEEWAY_SECONDS

ANY = "*"
"""In a condition: any characters, none among them."""
NAMING = (
    "sub", "repository", "repository_id", "repository_owner", "repository_owner_id",
    "project_path", "project_id", "namespace_path", "namespace_id",
)  # fmt: skip
"""Claims that say whose pipeline it is; many people share one issuer."""
ABOUT_ITSELF = frozenset({"iss", "aud", "exp", "nbf", "iat", "jti"})
"""Claims that say nothing of the pipeline, and are checked always."""
LONGEST_SUBJECT = 1000
LIVES_AT_MOST = 7 * 86_400
"""Seconds; so long it has to be kept that a token was exchanged."""


class NotTheirWord(Exception):
    """A token that does not hold; says what is safe to tell whoever sent it."""


def issuer_in(token: str) -> str | None:
    """Who signed a token, by its own word, which is worth nothing yet; None: it is no JWT."""
    parts = token.split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (IndexError, ValueError, RecursionError):
        return None
    found = claims.get("iss") if isinstance(claims, dict) else None
    return found if isinstance(found, str) else None


def claims_in(token: str, keys: KeySet, issuer: str, audience: str, now: float) -> dict[str, Any]:
    """What a token says, once it is known to be the issuer's, for us, of now.

    :param now: seconds since 1970.
    :raises NotTheirWord: else.
    """
    try:
        read = jwt.decode(token, keys, algorithms=[*ALGORITHMS])
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise NotTheirWord("its signature is not the issuer's") from error
    registry = jwt.JWTClaimsRegistry(
        now=int(now), leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": issuer}, aud={"essential": True, "value": audience},
        sub={"essential": True}, exp={"essential": True}, iat={"essential": True},
    )  # fmt: skip
    claims = read.claims
    try:
        registry.validate(claims)
    except (JoseError, ValueError, TypeError) as error:
        claim = getattr(error, "claim", None)
        wrong = f"its `{claim}`" if claim in {*ABOUT_ITSELF, "sub"} else "something in it"
        raise NotTheirWord(
            f"{wrong} does not hold; clocks may differ by {LEEWAY_SECONDS} s"
        ) from error
    if not claims["exp"] - int(now) <= LIVES_AT_MOST:  # a float has no room for every number
        raise NotTheirWord("it lives for longer than seven days")
    subject = claims["sub"]
    if not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise NotTheirWord("its `sub` names nobody")
    return dict(claims)


def unmet(conditions: Mapping[str, str], claims: Mapping[str, Any]) -> list[str]:
    """Names of claims that are not what they have to be."""
    return sorted(
        name for name, wanted in conditions.items() if not _fits(wanted, claims.get(name))
    )


def names_somebody(conditions: Mapping[str, str]) -> bool:
    """Whether conditions say whose pipelines they are: one of `NAMING` without `*`, or with it only
    after the first slash, so that it is all of one owner at most.
    """
    return any(_pinned(conditions[name]) for name in NAMING if name in conditions)


def _pinned(wanted: str) -> bool:
    return ANY not in wanted or "/" in wanted.partition(ANY)[0]


def _fits(wanted: str, claim: object) -> bool:
    text = _as_text(claim)
    if text is None:
        return False
    if ANY not in wanted:
        return text == wanted
    return re.fullmatch(fnmatch.translate(_plain_but_any(wanted)), text) is not None


def _plain_but_any(wanted: str) -> str:
    """For `fnmatch`, to which brackets and question marks mean something, too."""
    return "".join(f"[{one}]" if one in "[?" else one for one in wanted)


def _as_text(claim: object) -> str | None:
    """As it is compared; None: a list or nothing, which fits no condition."""
    if isinstance(claim, bool):
        return "true" if claim else "false"
    if isinstance(claim, int):
        return str(claim)
    return claim if isinstance(claim, str) else None


def not_conditions(names: Iterable[str]) -> list[str]:
    """Names that no condition may have."""
    return sorted(ABOUT_ITSELF & set(names))
