"""A provider says that somebody signed out there: their logins by it end here, too.

OpenID Connect Back-Channel Logout 1.0. A logout token names the person; which of their sessions at
the provider it was is not kept here, so that all their logins by it end.
"""

import datetime
import math
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.errors import LogoutRefused
from weighhouse_backend.identity.models import (
    Identity,
    IdentityProvider,
    LoginSession,
    Project,
    User,
)
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.sign_in.oidc import ALGORITHMS, LEEWAY_SECONDS, SUBJECT, Party
from weighhouse_backend.sign_in.single_use import spend

EVENT = "http://schemas.openid.net/event/backchannel-logout"
LIVES_AT_MOST = 3600
"""Seconds from when it was signed."""
BROKEN = (JoseError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What reading a token ends with that no provider gave."""


@dataclass(frozen=True)
class Ended:
    """Who signed out, and when, as the provider says."""

    subject: str
    at: datetime.datetime
    name: str
    """Of the provider's word, its own."""


def ended_in(token: str, keys: KeySet, party: Party, now: float) -> Ended:
    """What a logout token says, once it is known to be the provider's, for us, of now.

    :param now: seconds since 1970.
    :raises LogoutRefused: else.
    """
    try:
        claims = jwt.decode(token, keys, algorithms=[*ALGORITHMS]).claims
        jwt.JWTClaimsRegistry(
            now=int(now), leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": party.issuer},
            aud={"essential": True, "value": party.client_id},
            iat={"essential": True}, exp={"essential": True}, jti={"essential": True},
        ).validate(claims)  # fmt: skip
        signed_at, name = float(claims["iat"]), claims["jti"]
    except BROKEN as error:
        raise LogoutRefused("it is not the provider's word, for this client, of now") from error
    if not isinstance(claims.get("events"), dict) or EVENT not in claims["events"]:
        raise LogoutRefused("it is no logout token: its `events` do not say so")
    if "nonce" in claims:
        raise LogoutRefused("it is no logout token: it has a `nonce`")
    if not math.isfinite(signed_at) or now - signed_at > LIVES_AT_MOST:
        raise LogoutRefused("it was signed more than an hour ago")
    if not isinstance(name, str) or not name or not name.isprintable():
        raise LogoutRefused("its `jti` is no name")
    subject: Any = claims.get("sub")
    if not isinstance(subject, str) or not SUBJECT.fullmatch(subject):
        raise LogoutRefused("it names nobody by `sub`; `sid` alone is not known here")
    return Ended(subject, datetime.datetime.fromtimestamp(signed_at, datetime.UTC), name)


@dataclass(frozen=True)
class BackChannelService:
    """Ends logins by a provider's word."""

    session: Session
    clock: Clock

    def end(self, provider: IdentityProvider, ended: Ended) -> int:
        """End somebody's logins by a provider that are from before they signed out there, or, since
        clocks differ, from the minute after. Its word holds once: whoever sends it again ends none.

        :returns: how many ended.
        """
        if not self._first_time(provider, ended):
            return 0
        user = self.session.scalar(
            select(User)
            .join(Identity, Identity.user_id == User.id)
            .where(
                Identity.provider_id == provider.id, Identity.issuer == provider.issuer,
                Identity.subject == ended.subject,
            )
        )  # fmt: skip
        if user is None:
            return 0
        gone = self.session.scalars(
            delete(LoginSession)
            .where(
                LoginSession.user_id == user.id, LoginSession.provider_id == provider.id,
                LoginSession.created_at < ended.at + datetime.timedelta(seconds=LEEWAY_SECONDS),
            )
            .returning(LoginSession.id)
        ).all()  # fmt: skip
        if gone:
            first = select(Project.id).where(Project.organization_id == provider.organization_id)
            audit.record(
                self.session, self.clock, actor=provider.name, action="login.ended_by_provider",
                subject=user.email, provider=provider.issuer, count=len(gone),
                project_id=self.session.scalar(first.order_by(Project.id).limit(1)),
            )  # fmt: skip
        return len(gone)

    def _first_time(self, provider: IdentityProvider, ended: Ended) -> bool:
        until = ended.at + datetime.timedelta(seconds=LIVES_AT_MOST + LEEWAY_SECONDS)
        named = token_hash(f"signed out\n{provider.id}\n{ended.name}")
        return spend(self.session, named, until, self.clock.now())
