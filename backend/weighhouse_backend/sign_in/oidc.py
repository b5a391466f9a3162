"""OpenID Connect, as the party that relies on a provider: discovery, code with PKCE, ID tokens.

OpenID Connect Core 1.0 §3.1, Discovery 1.0, RP-Initiated Logout 1.0; PKCE is RFC 7636. Keys and
addresses are asked anew at each login, so that a provider's new keys hold at once.
"""

import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError
from joserfc.jwk import KeySet

from weighhouse_backend.identity.errors import ProviderAnswerRefused, ProviderAway
from weighhouse_backend.kit.addresses import AddressForbidden, look_at, look_up

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ALGORITHMS = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
"""Signatures with a provider's private key alone: no `none`, nothing by a shared secret."""
KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
TIMEOUT_SECONDS = 5.0
"""Of connecting, and of each read …"""
PATIENCE_SECONDS = 10.0
"""… and of a whole answer."""
MOST_BYTES = 512 * 1024
ASKED_AT_ONCE = 12
"""Questions to providers, of all organizations: a slow one does not hold the whole API up."""
TURN_SECONDS = 2.0
_TURNS = BoundedSemaphore(ASKED_AT_ONCE)
LEEWAY_SECONDS = 60
"""By which clocks may differ."""
SUBJECT = re.compile(r"[\x20-\x7e]{1,255}")
"""At most 255 ASCII characters, as the standard has it."""
SCOPE = "openid email profile"


@dataclass(frozen=True)
class Reach:
    """Where providers may stand besides the Internet."""

    loopback: bool
    """On this machine, without TLS: the platform itself is one that people reach at a loopback
    address."""
    own_networks: bool
    """In private networks."""


@dataclass(frozen=True)
class Party:
    """What a provider knows an organization's sign-in by."""

    issuer: str
    client_id: str
    client_secret: str | None
    redirect_uri: str
    reach: Reach


@dataclass(frozen=True)
class Provider:
    """What a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    says_issuer: bool
    """Its answers name it (RFC 9207)."""
    scopes: frozenset[str]
    by_post: bool
    """It takes a client's secret in the body alone."""


def insist_on_safe(address: str, reach: Reach) -> str:
    """An address that may be asked, as far as that can be told without asking what its name
    resolves to: https, or this machine where that is allowed.

    :raises ValueError: with what is wrong.
    """
    parts = urlsplit(address)
    if not parts.hostname or parts.username or parts.password or parts.fragment:
        raise ValueError("is no address of a provider")
    near = parts.scheme == "http" and reach.loopback and parts.hostname in LOOPBACK
    if parts.scheme != "https" and not near:
        raise ValueError("does not begin with https://")
    try:
        look_at(address, own_networks=reach.loopback or reach.own_networks)
    except AddressForbidden as error:
        raise ValueError(f"cannot be asked: {error}") from error
    return address


def keys_of(issuer: str, reach: Reach) -> KeySet:
    """The public keys of somebody who signs and signs nobody in, as CI services do.

    :raises ProviderAway: when they do not answer as one.
    """
    party = Party(issuer, "", None, "", reach)
    try:
        return _keys(str(_address(party, _described(party), "jwks_uri")), party)
    except ProviderAnswerRefused as error:
        raise ProviderAway(error.detail or error.title) from error


def _described(party: Party) -> dict[str, Any]:
    address = f"{party.issuer.rstrip('/')}/.well-known/openid-configuration"
    found = _asked(party, "GET", address)
    if found.get("issuer") != party.issuer:
        raise ProviderAway(f"{party.issuer} says that its issuer is {found.get('issuer')!r:.200}")
    return found


def _address(party: Party, found: dict[str, Any], name: str, *, needed: bool = True) -> str | None:
    value = found.get(name)
    if value is None and not needed:
        return None
    try:
        return insist_on_safe(str(value), party.reach)
    except ValueError as error:
        raise ProviderAway(f"its {name} {error}") from error


def discover(party: Party) -> Provider:
    """Ask a provider for its addresses.

    :raises ProviderAway: when it does not answer as one.
    """
    found = _described(party)
    at = partial(_address, party, found)
    ways = found.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    return Provider(
        issuer=party.issuer,
        authorization_endpoint=str(at("authorization_endpoint")),
        token_endpoint=str(at("token_endpoint")),
        jwks_uri=str(at("jwks_uri")),
        userinfo_endpoint=at("userinfo_endpoint", needed=False),
        end_session_endpoint=at("end_session_endpoint", needed=False),
        says_issuer=found.get("authorization_response_iss_parameter_supported") is True,
        scopes=frozenset(map(str, found.get("scopes_supported") or ())),
        by_post="client_secret_basic" not in ways and "client_secret_post" in ways,
    )


def way_there(
    provider: Provider, party: Party, state: str, nonce: str, verifier: str, groups_claim: str
) -> str:
    """Where a browser is sent to sign in."""
    scopes = f"{SCOPE} {groups_claim}" if groups_claim in provider.scopes else SCOPE
    return _with(
        provider.authorization_endpoint,
        response_type="code",
        client_id=party.client_id,
        redirect_uri=party.redirect_uri,
        scope=scopes,
        state=state,
        nonce=nonce,
        code_challenge=create_s256_code_challenge(verifier),
        code_challenge_method="S256",
    )


def way_out(provider: Provider, party: Party, id_token: str, back: str) -> str | None:
    """Where a browser is sent to sign out; None: the provider knows no such place."""
    if provider.end_session_endpoint is None:
        return None
    return _with(
        provider.end_session_endpoint,
        id_token_hint=id_token,
        client_id=party.client_id,
        post_logout_redirect_uri=back,
    )


def claims_of(
    provider: Provider, party: Party, code: str, verifier: str, nonce: str, now: float
) -> tuple[dict[str, Any], str]:
    """Redeem a code.

    :param now: seconds since 1970.
    :returns: what the provider says of the person, and its ID token.
    :raises ProviderAway: when it does not answer as one.
    :raises ProviderAnswerRefused: when what it says does not hold.
    """
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": party.redirect_uri,
        "code_verifier": verifier,
    }
    auth = None
    if party.client_secret is None or provider.by_post:
        form["client_id"] = party.client_id
        if party.client_secret is not None:
            form["client_secret"] = party.client_secret
    else:
        auth = httpx.BasicAuth(_quoted(party.client_id), _quoted(party.client_secret))
    told = _asked(party, "POST", provider.token_endpoint, form=form, auth=auth)
    id_token, access = told.get("id_token"), told.get("access_token")
    if not isinstance(id_token, str):
        raise ProviderAnswerRefused("it gave no ID token; is `openid` among the client's scopes?")
    claims = checked(id_token, _keys(provider.jwks_uri, party), party, nonce, now)
    if provider.userinfo_endpoint is not None and isinstance(access, str):
        more = _asked(party, "GET", provider.userinfo_endpoint, token=access)
        if more.get("sub") != claims["sub"]:
            raise ProviderAnswerRefused("its ID token and its userinfo are of two people")
        claims = {**more, **claims}
    return claims, id_token


def checked(id_token: str, keys: KeySet, party: Party, nonce: str, now: float) -> dict[str, Any]:
    """What an ID token says, once it is known to be the provider's, for us, of now.

    :raises ProviderAnswerRefused: else.
    """
    try:
        read = jwt.decode(id_token, keys, algorithms=[*ALGORITHMS])
        claims = CodeIDToken(
            read.claims,
            read.header,
            {
                "iss": {"essential": True, "value": party.issuer},
                "aud": {"essential": True, "value": party.client_id},
                "sub": {"essential": True},
                "exp": {"essential": True},
                "iat": {"essential": True},
                "nonce": {"essential": True, "value": nonce},
            },
            {"nonce": nonce, "client_id": party.client_id},
        )
        claims.validate(now=int(now), leeway=LEEWAY_SECONDS)
    except ExpiredTokenError as error:
        raise ProviderAnswerRefused(_CLOCKS.format("is over already")) from error
    except InvalidClaimError as error:
        if getattr(error, "claim", None) in {"iat", "nbf"}:
            raise ProviderAnswerRefused(_CLOCKS.format("is of the future")) from error
        raise ProviderAnswerRefused(f"its ID token does not hold: {error}") from error
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise ProviderAnswerRefused(f"its ID token does not hold: {error!s:.200}") from error
    subject = claims.get("sub")
    if not isinstance(subject, str) or not SUBJECT.fullmatch(subject):
        raise ProviderAnswerRefused("its ID token names nobody")
    return dict(claims)


_CLOCKS = (
    f"its ID token {{}}: the clocks of the platform and of the provider differ by more than "
    f"{LEEWAY_SECONDS} s, or the answer was very long on its way"
)


def _keys(jwks_uri: str, party: Party) -> KeySet:
    found = _asked(party, "GET", jwks_uri).get("keys")
    kept = [
        one
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict) and one.get("kty") in KEY_TYPES and one.get("use") != "enc"
    ]
    try:
        return KeySet.import_key_set({"keys": kept})
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise ProviderAway(f"its keys cannot be read: {error!s:.200}") from error


def _asked(
    party: Party,
    method: str,
    address: str,
    *,
    form: Mapping[str, str] | None = None,
    auth: httpx.Auth | None = None,
    token: str | None = None,
) -> dict[str, Any]:
    """Ask a provider for JSON: no redirect is followed, no long answer waited for or read."""
    if not _TURNS.acquire(timeout=TURN_SECONDS):
        raise ProviderAway("many people are signing in with slow providers; try again")
    try:
        return _answer_to(party, method, address, form, auth, token)
    finally:
        _TURNS.release()


def _answer_to(
    party: Party,
    method: str,
    address: str,
    form: Mapping[str, str] | None,
    auth: httpx.Auth | None,
    token: str | None,
) -> dict[str, Any]:
    ends = time.monotonic() + PATIENCE_SECONDS
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    try:
        insist_on_safe(address, party.reach)
        proxy = _proxy(address)
        asked, extensions = (address, None) if proxy else _place(address, party.reach, headers)
        with (
            httpx.Client(
                verify=_trusted(), timeout=TIMEOUT_SECONDS, follow_redirects=False,
                proxy=proxy, trust_env=False,
            ) as client,
            client.stream(
                method, asked, data=form, headers=headers,
                auth=auth or httpx.USE_CLIENT_DEFAULT, extensions=extensions,
            ) as answer,
        ):  # fmt: skip
            body = b""
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES or time.monotonic() > ends:
                    raise ProviderAway(f"{address} answers too long")
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, AddressForbidden, OSError) as error:
        raise ProviderAway(f"{address}: {error!s:.200}") from error
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    said = found.get("error") if isinstance(found, dict) else None
    if status >= HTTPStatus.BAD_REQUEST and isinstance(said, str):
        raise ProviderAnswerRefused(f"it answers {said!r:.100} at {address}")
    if status != HTTPStatus.OK or not isinstance(found, dict):
        raise ProviderAway(f"{address} answers {status}, and no JSON object")
    return found


def _proxy(address: str) -> str | None:
    """The proxy that connects to an address, and resolves its name itself; None: nobody's, this
    process does.
    """
    parts, proxies = urlsplit(address), getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.hostname or ""):
        return None
    return found if "://" in found else f"http://{found}"


def _place(address: str, reach: Reach, headers: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Where a connection goes: to an address of its name that was looked at.

    :raises AddressForbidden: when nobody is asked there.
    :raises OSError: when the name has no address.
    """
    found = look_up(address, own_networks=reach.loopback or reach.own_networks)
    headers["Host"] = found.authority
    return found.url, {"sni_hostname": found.host}


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that are trusted, read once: that takes longer than to ask."""
    return httpx.create_ssl_context()


def _with(address: str, **query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def _quoted(text: str) -> str:
    """As RFC 6749 §2.3.1 wants name and secret of a client."""
    return urlencode({"": text})[1:]
